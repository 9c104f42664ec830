import Foundation
import Skyros

/// `skyros prune`: prints what pruning the history would remove, or prunes it.
struct PruneCommand: Command {
    static let name = "prune"
    static let summary = "Remove old history for good; the records stay"
    static let usage = "STORE --before TIME [--yes] [--by ACTOR] [--because REASON] [--json]"
    static let details = """
          --before TIME      the time of the oldest event to keep
          --yes              do it; without it, what would go is printed, and the store, which may
                             be open elsewhere, is only read
          --by ACTOR         who prunes it
          --because REASON   why

        The events before the time are removed, as far as whole files hold no others. A floor takes
        their place: the records as they were then, from which everything else follows. Questions
        about what is older fail. The tool does not know the app's projections: let an app that
        has some prune, by Store.prune or Options.retention. Nothing brings the history back but a
        backup from before, which `skyros backup` brings up to date with all of it.

        The exit code is 1 if there is nothing to remove.

          skyros prune Orders.skyros --before 2025-01-01
          skyros prune Orders.skyros --before "90 days ago" --yes --because "kept for 90 days"
        """
    static let options: Set<String> = ["before", "by", "because"]
    static let flags: Set<String> = ["yes"]

    private let arguments: Arguments
    private let time: EventTime

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
        guard let time = try arguments.time("before")?.first else {
            throw UsageError("prune needs --before TIME")
        }
        self.time = time
    }

    func run(_ output: Output) throws -> Bool {
        if arguments.server != nil { throw StoreError.ofSharedLog("pruned") }
        // A store that does not exist is an error, and is not created.
        let archive = try Archive(at: arguments.store)
        guard arguments.has("yes") else {
            guard let plan = try archive.prunePlan(before: time.date) else {
                return try reportNothing(archive.firstSequence, output)
            }
            try report(plan, output)
            return true
        }
        var options = Store.Options()
        // What the app tolerates is no reason to refuse this.
        options.existingDuplicates = .report
        options.existingBrokenReferences = .ignore
        // Only the app knows for how long it remembers keys: the floor keeps all of them.
        options.idempotencyWindow = .days(36_500)
        let store = try Store(untypedAt: arguments.store, options: options)
        let report = try store.prune(
            before: time.date, by: arguments.text("by"), because: arguments.text("because"))
        let first = store.firstSequence
        try store.close()
        guard let report else { return try reportNothing(first, output) }
        try self.report(report, output)
        return true
    }
}

// MARK: - Output

extension PruneCommand {
    private func reportNothing(_ first: SequenceNumber, _ output: Output) throws -> Bool {
        if arguments.isJSON {
            try output.json(["pruned": .null])
        } else {
            try output.line(
                "there is nothing to remove: no file holds only events before \(time) that each "
                    + "subscription has handled; the store begins with event \(first)")
        }
        return false
    }

    private func report(_ plan: PrunePlan, _ output: Output) throws {
        let (events, bytes) = (plan.events, Output.bytes(plan.byteCount))
        if arguments.isJSON {
            return try output.json([
                "wouldPrune": json(events), "until": .text(plan.time.description),
                "bytes": .integer(Int128(plan.byteCount)),
            ])
        }
        try output.line(
            "the events \(events.lowerBound) to \(events.upperBound), up to \(plan.time), would be "
                + "removed for good (\(bytes)); the records of then would stay. Use --yes to do it")
    }

    private func report(_ report: PruneReport, _ output: Output) throws {
        let (events, floor) = (report.events, report.floor)
        if arguments.isJSON {
            return try output.json([
                "pruned": json(events), "until": .text(floor.time.description),
                "bytes": .integer(Int128(report.removedBytes)),
                "floorBytes": .integer(Int128(report.floorBytes)),
                "records": .integer(Int128(floor.recordCount)),
                "digest": .text(floor.digest.description),
            ])
        }
        let (removed, kept) = (Output.bytes(report.removedBytes), Output.bytes(report.floorBytes))
        try output.line(
            "the events \(events.lowerBound) to \(events.upperBound), up to \(floor.time), were "
                + "removed (\(removed)); the floor has the \(floor.recordCount) records of then "
                + "(\(kept))")
    }

    private func json(_ events: ClosedRange<SequenceNumber>) -> FieldValue {
        .array([
            .integer(Int128(events.lowerBound.rawValue)),
            .integer(Int128(events.upperBound.rawValue)),
        ])
    }
}
