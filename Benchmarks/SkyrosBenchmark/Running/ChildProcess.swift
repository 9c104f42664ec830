import Foundation

/// This program as a child process: what one measurement does to memory must not reach the next.
enum ChildProcess {
    /// Runs the program with `arguments` and gives what it printed.
    ///
    /// - Parameter mayBeKilled: whether a process that ends by SIGKILL has done what it should.
    /// - Throws: `BenchmarkError` if it fails; it has said why on the error output.
    @discardableResult
    static func run(_ arguments: [String], mayBeKilled: Bool = false) throws -> Data {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let wasKilled =
            process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard process.terminationStatus == 0 || (mayBeKilled && wasKilled) else {
            throw BenchmarkError(
                "\(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return data
    }

    /// Runs the program and decodes what it printed.
    static func run<T: Decodable>(_ arguments: [String], giving type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: run(arguments))
    }

    /// What a process of this program prints for the one that started it.
    static func answer(_ value: some Encodable) throws {
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(value))
    }
}
