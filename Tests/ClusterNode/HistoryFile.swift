#if Postgres
    import Foundation
    import Skyros
    import SkyrosDisk

    /// The history of a node: a line of JSON for each beginning and end of an operation. A line is
    /// complete when the call returns, so that it is there after the process was killed.
    final class HistoryFile: Sendable {
        private let descriptor: Int32
        private let node: String

        init(_ path: String, node: String) {
            self.node = node
            descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
            precondition(descriptor >= 0, "the history cannot be written")
        }

        func note(_ id: String, _ phase: String, _ more: [String: Any] = [:]) {
            var object = more
            object["id"] = id
            object["phase"] = phase
            object["time"] = Self.now
            object["node"] = node
            guard
                var line = try? JSONSerialization.data(
                    withJSONObject: object, options: [.sortedKeys])
            else { return }
            line.append(UInt8(ascii: "\n"))
            line.withUnsafeBytes { bytes in
                // One call, so that lines of several threads are whole.
                _ = Foundation.write(descriptor, bytes.baseAddress, bytes.count)
            }
        }

        /// Nanoseconds of a clock that all processes of the machine share.
        private static var now: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
    }

    /// The numbers of events that nodes have written, for the others: a file each.
    final class Mailbox: Sendable {
        private let directory: String
        private let node: String
        private let last = Locked(SequenceNumber.zero)

        init(_ directory: String, node: String) {
            self.directory = directory
            self.node = node
        }

        func post(_ sequence: SequenceNumber) {
            last.withLock { last in
                guard sequence > last else { return }
                last = sequence
                try? Data("\(sequence)".utf8).write(
                    to: URL(filePath: "\(directory)/\(node).token"), options: .atomic)
            }
        }

        /// What another node has posted last; nil if none has.
        func token(_ random: inout SystemRandom) -> SequenceNumber? {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            let others = names.filter { $0.hasSuffix(".token") && $0 != "\(node).token" }
            guard let name = others.randomElement(using: &random),
                let text = try? String(
                    contentsOf: URL(filePath: "\(directory)/\(name)"), encoding: .utf8),
                let number = UInt64(text)
            else { return nil }
            return SequenceNumber(rawValue: number)
        }
    }
#endif
