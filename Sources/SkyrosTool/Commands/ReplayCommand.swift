import Skyros

/// `skyros replay`: folds the log.
struct ReplayCommand: Command {
    static let name = "replay"
    static let summary = "Fold the log from the start; print the speed and the state's digest"
    static let usage = "STORE [--to N] [--json]"
    static let details = """
          --to N   stop after this event

          skyros replay Orders.skyros
        """
    static let options: Set<String> = ["to"]

    private let arguments: Arguments
    private let last: SequenceNumber?

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
        last = try arguments.sequence("to")
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.reading(asOf: last.map { .sequence($0) }, at: arguments.store)
        if last == nil { archive.warnOfLostEvents() }
        let end = last ?? archive.sequence
        let start = ContinuousClock.now
        let bar = ProgressBar(ProgressBar.Step(.reading, 0.8), ProgressBar.Step(.digesting, 0.2))
        defer { bar.finish() }
        let state = try archive.snapshot(asOf: .sequence(end)) {
            bar.update(.reading, $0.rawValue, of: end.rawValue)
        }
        let elapsed = start.duration(to: .now)
        let seconds =
            Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        let digest = try state.digest { bar.update($0) }.description
        bar.finish()
        if arguments.isJSON {
            try output.json([
                "sequence": .integer(Int128(state.sequence.rawValue)),
                "events": .integer(Int128(state.sequence.rawValue)),
                "digest": .text(digest), "seconds": .double(seconds),
            ])
        } else {
            let speed = Int(Double(state.sequence.rawValue) / max(seconds, 1e-9))
            try output.line("\(state.sequence) events, \(speed) events/s, digest \(digest)")
        }
        return true
    }
}
