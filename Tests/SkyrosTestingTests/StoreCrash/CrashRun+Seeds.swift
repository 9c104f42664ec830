import SkyrosTesting

extension CrashRun {
    private static let shrinkingAttemptsMax = 500

    init(seed: UInt64, isTold: Bool) {
        self.init(Choices(seed: seed), seed: seed, isTold: isTold)
    }

    /// A run with chosen numbers, else like that of a seed.
    private init(_ choices: Choices, seed: UInt64, isTold: Bool) {
        // A checkpoint costs more than everything else here, and is crashed in other tests too.
        self.init(choices, hasCheckpoint: seed % 4 == 0, isTold: isTold)
    }

    /// What goes wrong in the run of a seed, and the shortest run found in which something does;
    /// nil if nothing goes wrong.
    static func finding(of seed: UInt64) -> String? {
        let choices = Choices(seed: seed)
        guard let finding = finding(choices, seed) else { return nil }
        let shortest = ChoiceShrinking.shrink(
            choices.taken, attemptsMax: shrinkingAttemptsMax
        ) { Self.finding(Choices(replaying: $0), seed) != nil }
        return "seed \(seed): "
            + (Self.finding(Choices(replaying: shortest), seed, isTold: true) ?? finding)
    }

    private static func finding(
        _ choices: Choices, _ seed: UInt64, isTold: Bool = false
    ) -> String? {
        var run = CrashRun(choices, seed: seed, isTold: isTold)
        return run.finding()
    }
}
