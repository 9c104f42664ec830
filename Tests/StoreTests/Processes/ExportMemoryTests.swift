import Foundation
import Skyros
import TestSupport
import Testing

// Only Linux shows the peak size of a process that is still running.
#if os(Linux)
    @Suite(.enabled(if: !Sanitizer.isEnabled, "a sanitizer's allocator takes more memory"))
    struct `A large export` {
        private static let recordCount = 512
        private static let textBytes = 64 << 10
        private static let contentBytes = recordCount * textBytes

        private let store: ToolStore

        init() throws {
            store = try ToolStore([Note.self]) { store in
                let text = String(repeating: "x", count: Self.textBytes)
                for id in 0..<Self.recordCount {
                    try store.write { try $0.insert(Note(id: id, text: text)) }
                }
            }
        }

        /// The limit allows for the records as the state and again as the printed text.
        @Test(arguments: ["jsonl", "csv"])
        func `is streamed and not collected in memory`(format: String) throws {
            let process = store.process("export", ["Note", "--format", format])
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // A full pipe blocks the tool shortly before its end.
            var count = 0
            while count < Self.contentBytes - (1 << 20) {
                guard let data = try output.fileHandleForReading.read(upToCount: 1 << 16) else {
                    break
                }
                count += data.count
            }
            let peak = try peakBytes(of: process)
            while try output.fileHandleForReading.read(upToCount: 1 << 16)?.isEmpty == false {}
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(count >= Self.contentBytes - (1 << 20))
            #expect(peak < 4 * Self.contentBytes, "\(peak / Self.contentBytes) times the content")
        }

        private func peakBytes(of process: Process) throws -> Int {
            let status = try String(
                contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let number = try #require(
                line.split(separator: " ").dropFirst().compactMap { Int($0) }.first)
            return number << 10
        }
    }
#endif
