import Foundation

/// All fuzzers, and the one that libFuzzer's loop runs.
enum Fuzzers {
    private static let all: [any Fuzzer.Type] =
        FuzzCorpus.fuzzers + [StoreFuzzer.self, ToolFuzzer.self]

    /// Safe although unchecked: written once before libFuzzer's loop begins, and only read in it.
    nonisolated(unsafe) private static var chosen: any Fuzzer.Type = CBORFuzzer.self

    /// Runs a command; returns true if the command is a fuzzer, which libFuzzer then runs.
    static func choose(_ words: [String]) throws -> Bool {
        switch (words.first, words.count) {
        case ("list", 1): for fuzzer in all { print(fuzzer.name, fuzzer.inputBytesMax) }
        case ("inputs", 3): try writeInputs(of: words[1], to: words[2])
        case ("pack", 2): try printInputs(in: words[1])
        case (let name?, _):
            chosen = try named(name)
            return true
        case (nil, _):
            throw FuzzFinding("usage: SkyrosFuzzing list | inputs | pack | NAME …")
        }
        return false
    }

    /// Feeds one input to the chosen fuzzer; aborts the process with a finding.
    static func feed(_ bytes: UnsafeRawBufferPointer) {
        do {
            try chosen.run(bytes)
        } catch {
            FileHandle.standardError.write(Data("FINDING of \(chosen.name): \(error)\n".utf8))
            abort()
        }
    }

    private static func named(_ name: String) throws -> any Fuzzer.Type {
        guard let fuzzer = all.first(where: { $0.name == name }) else {
            throw FuzzFinding("unknown fuzzer \(name); the fuzzers are \(all.map { $0.name })")
        }
        return fuzzer
    }

    // MARK: Inputs

    /// Writes the seeds and the corpus of a fuzzer.
    private static func writeInputs(of name: String, to directory: String) throws {
        let fuzzer = try named(name)
        let directory = URL(filePath: directory, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (index, input) in try (fuzzer.seeds() + FuzzCorpus.inputs(of: name)).enumerated() {
            try Data(input).write(to: directory.appending(path: "input-\(index)"))
        }
    }

    /// Prints the inputs in a directory in base64, the shortest first.
    private static func printInputs(in directory: String) throws {
        let directory = URL(filePath: directory, directoryHint: .isDirectory)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let inputs = try names.map { try Data(contentsOf: directory.appending(path: $0)) }
        let lines = inputs.map { $0.base64EncodedString() }
        for line in lines.sorted(by: { ($0.count, $0) < ($1.count, $1) }) { print(line) }
    }
}
