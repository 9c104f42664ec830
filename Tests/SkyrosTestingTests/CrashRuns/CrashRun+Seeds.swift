import SkyrosTesting

extension CrashRun {
    private static let shrinkingAttemptsMax = 500

    init(seed: UInt64, isTraced: Bool) {
        self.init(Choices(seed: seed), seed: seed, isTraced: isTraced)
    }

    /// A run with given choices.
    private init(_ choices: Choices, seed: UInt64, isTraced: Bool) {
        // A checkpoint costs more than everything else here, and other tests crash it too.
        self.init(choices, hasCheckpoint: seed % 4 == 0, isTraced: isTraced)
    }

    /// The failure of the run of a seed, with the trace of the shortest failing run that shrinking
    /// finds; nil if it succeeds.
    static func finding(of seed: UInt64) -> String? {
        let choices = Choices(seed: seed)
        guard let finding = finding(choices, seed) else { return nil }
        let shortest = ChoiceShrinking.shrink(
            choices.taken, attemptsMax: shrinkingAttemptsMax
        ) { Self.finding(Choices(replaying: $0), seed) != nil }
        return "seed \(seed): "
            + (Self.finding(Choices(replaying: shortest), seed, isTraced: true) ?? finding)
    }

    private static func finding(
        _ choices: Choices, _ seed: UInt64, isTraced: Bool = false
    ) -> String? {
        var run = CrashRun(choices, seed: seed, isTraced: isTraced)
        return run.finding()
    }
}
