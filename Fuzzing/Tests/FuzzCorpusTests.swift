import Testing

/// The fuzzers' seeds and the inputs that they have gathered, without libFuzzer: each of them once
/// reached code that none before it had reached, and each must still pass its fuzzer's checks.
@Suite struct `Hostile bytes` {
    @Test(arguments: FuzzCorpus.fuzzers.map { $0.name })
    func `of the corpus do no harm`(name: String) throws {
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
