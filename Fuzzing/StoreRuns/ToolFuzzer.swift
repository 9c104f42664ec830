@testable import Skyros

/// Parses command lines of the tool without opening a store. Line feeds separate the arguments.
enum ToolFuzzer: Fuzzer {
    static let name = "tool"
    static let inputBytesMax = 128

    static func seeds() throws -> [[UInt8]] {
        [
            "query\nO.skyros\nSELECT 1\n--at\n7", "show\nO.skyros\nOrder\n{\"a\": [1, 2]}",
            "log\nO.skyros\n--from=2024-02-29T12:00:00Z\n--json", "info\n--\n--at",
            "history\nO.skyros\nOrder\n00000000-0000-0000-0000-000000000000",
            "export\nO.skyros\nfile", "verify\nO.skyros", "replay\nO.skyros\n--to\n3",
            "rebuild\nO.skyros",
        ].map { Array($0.utf8) }
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        let words = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let command = Tool.commands.first(where: { $0.name == words[0] }) else { return }
        let rest = Array(words.dropFirst())
        _ = try allowing(UsageError.self) { try command.init(Arguments(rest, for: command)) }
        for word in rest {
            let finder = try allowing(CBORError.self) { try RecordFinder(word) }
            for candidate in finder?.candidates ?? [] { _ = candidate.description }
        }
    }
}
