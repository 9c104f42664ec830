import Foundation
import TestSupport
import Testing

/// The program that opens stores in another process; built beside the tests.
struct LockHolder {
    private let program: String

    struct Missing: Error {}

    init() throws {
        let places = [
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
            Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
        ]
        let candidates = places.map { $0.appending(path: "CrashWriter").path }
        let isProgram = FileManager.default.isExecutableFile(atPath:)
        guard let found = candidates.first(where: isProgram) else { throw Missing() }
        program = found
    }

    /// Starts a process that holds the lock, and writes to a store until it is killed.
    func startWriter(to store: String, acknowledging file: String) throws -> Process {
        let writer = process("/usr/bin/env", [program, "write", store, file, "buffered"])
        let output = Pipe()
        writer.standardOutput = output
        try writer.run()
        // It prints the first event once it has the lock.
        try #require(!output.fileHandleForReading.availableData.isEmpty)
        return writer
    }

    /// Runs a process that opens a store, or creates it, and closes it, or writes to it until a
    /// write fails. `launcher` is put before its command line. Returns the exit code and the error
    /// output.
    func open(
        _ store: String, writing: Bool = false, through launcher: [String] = ["/usr/bin/env"]
    ) throws -> (status: Int32, complaint: String) {
        let role = writing ? "write" : "verify"
        let arguments = [program, role, store, "\(store).acknowledged", "durable"]
        let process = process(launcher[0], launcher.dropFirst() + arguments)
        let complaint = Pipe()
        process.standardError = complaint
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = try complaint.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    private func process(_ path: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        return process
    }
}
