import Skyros

/// `skyros replay`: folds the log.
struct ReplayCommand: Command {
    static let name = "replay"
    static let summary = "Fold the log from the start; print the speed and the state's digest"
    static let usage = """
        STORE [--to N] [--exec COMMAND [--from N] [--position FILE]] [--json]
        """
    static let details = """
          --to N           stop after this event
          --exec COMMAND   give the events to a command, which a shell runs, as lines of JSON on its
                           standard input, as `skyros log --json` prints them
          --from N         begin with this event
          --position FILE  begin after the event that the file names, and keep in it how far the
                           events were handled; without the file, begin with the first event

        The command says that it has handled an event, and all before it, by a line with its number
        on its standard output; other lines go to the standard error. If it exits with 0, it has
        handled all.
        After an interruption the same line continues where the file says: the command gets each
        event at least once. It gets the path of the store in SKYROS_STORE.

          skyros replay Orders.skyros
          skyros replay Orders.skyros --exec ./rebuild-search-index --position index.position
        """
    static let options: Set<String> = ["to", "exec", "from", "position"]

    private let arguments: Arguments
    private let first: SequenceNumber?
    private let last: SequenceNumber?

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
        (first, last) = try arguments.bounds("from")
        for option in ["from", "position"]
        where arguments.text(option) != nil && arguments.text("exec") == nil {
            throw UsageError("--\(option) needs --exec")
        }
        guard first == nil || arguments.text("position") == nil else {
            throw UsageError("--from and --position exclude each other")
        }
        if let first, first == .zero { throw UsageError("the first event has the number 1") }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.reading(asOf: last.map { .sequence($0) }, at: arguments.store)
        if last == nil { archive.warnOfLostEvents() }
        let end = last ?? archive.sequence
        if let command = arguments.text("exec") {
            return try feed(archive, to: ShellCommand(command), through: end, output)
        }
        let start = ContinuousClock.now
        let bar = ProgressBar(ProgressBar.Step(.reading, 0.8), ProgressBar.Step(.digesting, 0.2))
        defer { bar.finish() }
        let state = try archive.snapshot(asOf: .sequence(end)) {
            bar.update(.reading, $0.rawValue, of: end.rawValue)
        }
        let seconds = start.duration(to: .now).seconds
        let digest = try state.digest { bar.update($0) }.description
        bar.finish()
        let count = archive.firstSequence.advanced(by: -1).distance(to: state.sequence)
        if arguments.isJSON {
            try output.json([
                "sequence": .integer(Int128(state.sequence.rawValue)),
                "events": .integer(Int128(count)),
                "digest": .text(digest), "seconds": .double(seconds),
            ])
        } else {
            let speed = Int(Double(count) / max(seconds, 1e-9))
            try output.line("\(count) events, \(speed) events/s, digest \(digest)")
        }
        return true
    }

    private func feed(
        _ archive: Archive, to command: ShellCommand, through last: SequenceNumber,
        _ output: Output
    ) throws -> Bool {
        let position = arguments.text("position").map { PositionFile($0) }
        let start = try self.start(in: archive, position)
        let last = max(start, last)
        let begun = ContinuousClock.now
        let bar = ProgressBar(ProgressBar.Step(.reading))
        defer { bar.finish() }
        let feed = EventFeed(
            archive: archive, command: command, store: arguments.store, position: position)
        let outcome = try feed.run(after: start, through: last) { event in
            guard ProgressBar.mayShowWhilePrinting else { return }
            bar.update(.reading, start.distance(to: event), of: start.distance(to: last))
        }
        bar.finish()
        let seconds = begun.duration(to: .now).seconds
        if arguments.isJSON {
            try output.json([
                "sequence": .integer(Int128(outcome.handled.rawValue)),
                "events": .integer(Int128(outcome.count)), "seconds": .double(seconds),
            ])
        } else {
            let speed = Int(Double(outcome.count) / max(seconds, 1e-9))
            try output.line(
                "\(outcome.count) events, \(speed) events/s, handled through event "
                    + "\(outcome.handled)")
        }
        guard outcome.status == .exited(0), outcome.handled == last else {
            let hint = position == nil ? "" : "; run the same line again to continue"
            ErrorOutput.error(
                "the command \(outcome.status) and has handled the events through "
                    + "\(outcome.handled), of \(last)\(hint)")
            return false
        }
        return true
    }

    /// The event after which to begin.
    private func start(
        in archive: Archive, _ position: PositionFile?
    ) throws -> SequenceNumber {
        if let kept = try position?.read(for: archive) { return kept }
        if let first {
            guard first > archive.sequence else { return first.advanced(by: -1) }
            throw StoreError(
                .noSuchEvent,
                "there is no event \(first) yet; the last one is \(archive.sequence)",
                at: StoreError.Place(sequences: first...first))
        }
        let before = archive.firstSequence.advanced(by: -1)
        if before > .zero {
            ErrorOutput.error(
                "note: the events through \(before) were pruned, so the command does not get them; "
                    + "`skyros export --at \(before)` gives the records after them")
        }
        return before
    }
}
