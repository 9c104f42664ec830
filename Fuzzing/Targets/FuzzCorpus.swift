import Foundation

/// The corpora: one file per fuzzer, one input per line in base64.
///
/// `scripts/fuzz --keep` writes them: the fewest inputs that cover the same code as all so far.
enum FuzzCorpus {
    /// The fuzzers that only need the library.
    static let fuzzers: [any Fuzzer.Type] = [
        CBORFuzzer.self, CheckpointFuzzer.self, DamageFuzzer.self, EventFuzzer.self,
        ForgeryFuzzer.self, JSONFuzzer.self,
        LogFuzzer.self, RecordFuzzer.self, RowFuzzer.self, RunFuzzer.self,
    ]

    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Corpus")

    static func inputs(of fuzzer: String) throws -> [[UInt8]] {
        let file = directory.appending(path: "\(fuzzer).txt")
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            guard let data = Data(base64Encoded: String(line)) else {
                throw FuzzFinding("a line of \(file.path) is not base64: \(line)")
            }
            return [UInt8](data)
        }
    }
}
