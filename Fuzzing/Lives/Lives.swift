/// Lives of stores by seeds, as the tests live some of: many, in a build that is made for speed.
enum Lives {
    /// Runs the seeds from `first` on.
    ///
    /// - Throws: a finding, with its seed and the shortest run found.
    static func run(from first: UInt64, count: UInt64) throws {
        for seed in first..<first + count {
            if let finding = CrashRun.finding(of: seed) { throw FuzzFinding(finding) }
        }
    }
}
