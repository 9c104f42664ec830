import Foundation

/// The size of a small program with the library beside the same program without it, stripped.
///
/// Both link Swift's runtime and Foundation dynamically, as a phone has them, and so do they zstd
/// and SQLite.
enum ProgramSize {
    static let workload = Workload(
        name: "size", title: "a stripped program with Skyros and without",
        sides: [.skyros, .floor], isSteady: true, measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let name = side == .skyros ? "program-with-skyros" : "program-without-skyros"
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else {
            throw BenchmarkError("this program has no folder")
        }
        let stripped = bench.scratch.appending(path: name)
        try FileManager.default.copyItem(at: folder.appending(path: name), to: stripped)
        try run("/usr/bin/strip", [stripped.path(percentEncoded: false)])
        let data = bench.scratch.appending(path: "data")
        try run(stripped.path(percentEncoded: false), [data.path(percentEncoded: false)])
        let bytes = try FileSizes.bytes(of: stripped)
        return [Figure("stripped program", Double(bytes), .bytes)]
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("\(program) ended with \(process.terminationStatus)")
        }
    }
}
