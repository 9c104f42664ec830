import Testing

/// Runs the seeds and the corpora through the fuzzers without libFuzzer. Each input covers code
/// that no smaller one covers.
@Suite struct `Hostile bytes` {
    @Test(arguments: FuzzCorpus.fuzzers.map { $0.name })
    func `of the corpus violate no invariant`(name: String) throws {
        let fuzzer = try #require(FuzzCorpus.fuzzers.first { $0.name == name })
        for input in try fuzzer.seeds() + FuzzCorpus.inputs(of: name) {
            do {
                try fuzzer.run(input)
            } catch {
                Issue.record("\(name), \(input): \(error)")
            }
        }
    }
}
