import Foundation
import Skyros

/// `skyros undo`: prints what the undo of events would do, or undoes them.
struct UndoCommand: Command {
    static let name = "undo"
    static let summary = "Take events back, by a new event"
    static let usage = """
        STORE (EVENT | FROM-TO | --correlation C) [--on-conflict refuse|skip|restore|merge] \
        [--yes] [--by ACTOR] [--because REASON] [--json]
        """
    static let details = """
          EVENT, FROM-TO      the event, or all events of a range
          --correlation C     all events with this correlation, such as those of an import
          --on-conflict WHAT  what to do about records that other events have changed since:
                                refuse   undo nothing (default)
                                skip     leave them, and undo the rest
                                restore  take them back too
                                merge    take back the fields that no other event has changed
          --yes               do it; without it, what would change is printed, and the store, which
                              may be open elsewhere, is only read
          --by ACTOR          the actor of the new event
          --because REASON    its reason

        Each record goes back to what it was before the first of the events. The log keeps all
        events: the undo is a new one, and undoing that one is the redo.

        Unique indexes and relations that the app of the store has declared are kept. The exit code
        is 1 if conflicts stand in the way.

          skyros undo Orders.skyros 4711
          skyros undo Orders.skyros 4711-4720 --on-conflict merge --yes --by bob
          skyros undo Shop.skyros --correlation import-7 --yes --because "wrong file"
        """
    static let options: Set<String> = ["correlation", "on-conflict", "by", "because"]
    static let flags: Set<String> = ["yes"]

    private let arguments: Arguments
    private let target: UndoTarget
    private let resolution: UndoResolution

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        target = try Self.target(arguments)
        let word = arguments.text("on-conflict") ?? UndoResolution.refuse.rawValue
        guard let resolution = UndoResolution(rawValue: word) else {
            let words = UndoResolution.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--on-conflict takes \(words), not \"\(word)\"")
        }
        self.resolution = resolution
    }

    private static func target(_ arguments: Arguments) throws -> UndoTarget {
        switch (arguments.rest.count, arguments.text("correlation")) {
        case (0, let correlation?): return .correlation(correlation)
        case (1, nil): return .events(try range(arguments.rest[0]))
        default: throw UsageError("undo needs one event, one range, or --correlation")
        }
    }

    private static func range(_ word: String) throws -> ClosedRange<SequenceNumber> {
        guard let range = ClosedRange(events: word) else {
            throw UsageError("undo takes the number of an event, or FROM-TO, not \"\(word)\"")
        }
        return range
    }

    func run(_ output: Output) throws -> Bool {
        // A store that does not exist is an error, and is not created.
        let archive = try Archive(at: arguments.store)
        guard arguments.has("yes") else { return try plan(archive, output) }
        var options = Store.Options()
        // What the app tolerates is no reason to refuse other records.
        options.existingDuplicates = .report
        options.existingBrokenReferences = .ignore
        let store = try arguments.writableStore(options)
        let result: UndoResult
        do {
            result = try store.undo(
                target, by: arguments.text("by"), because: arguments.text("because"),
                resolving: resolution)
        } catch let error as StoreError where !error.undoConflicts.isEmpty {
            try store.close()
            for conflict in error.undoConflicts { try print(conflict, to: output) }
            throw error
        }
        try store.close()
        for conflict in result.conflicts { try print(conflict, to: output) }
        try report(result, output)
        return true
    }

    private func plan(_ archive: Archive, _ output: Output) throws -> Bool {
        let bar = ProgressBar(ProgressBar.Step(.reading, 1))
        defer { bar.finish() }
        let plan = try archive.undoPlan(of: target, resolving: resolution) {
            bar.update(.reading, $0, of: $1)
        }
        bar.finish()
        for change in plan.changes { try print(change, to: output) }
        for conflict in plan.conflicts { try print(conflict, to: output) }
        try report(plan, output)
        return !plan.isRefused
    }
}

// MARK: - Output

extension UndoCommand {
    private func print(_ change: RecordDifference, to output: Output) throws {
        if arguments.isJSON { return try output.json(EventText.json(change)) }
        for line in try EventText.lines(change) { try output.line(line) }
    }

    private func print(_ conflict: UndoConflict, to output: Output) throws {
        guard arguments.isJSON else { return try output.line("! \(conflict)") }
        try output.json([
            "conflict": .text(conflict.kind.rawValue), "entity": .text(conflict.entity),
            "id": conflict.id.value, "canMerge": .bool(conflict.canMerge),
            "fields": .array(conflict.fields.map { .text($0) }),
            "events": .array(conflict.events.map { .integer(Int128($0.rawValue)) }),
            "references": .array(conflict.references.map { .text($0.description) }),
        ])
    }

    private func report(_ plan: UndoPlan, _ output: Output) throws {
        guard !arguments.isJSON else {
            return try output.json([
                "events": Self.json(plan.events), "changes": .integer(Int128(plan.changes.count)),
                "conflicts": .integer(Int128(plan.conflicts.count)),
                "refused": .bool(plan.isRefused), "needsReason": .bool(plan.needsReason),
                "done": .bool(false),
            ])
        }
        let records = Self.records(plan.changes.count)
        if plan.isRefused {
            try output.line(
                "\(Self.records(plan.conflicts.count)) in conflict (!), \(records) without: "
                    + "nothing would be undone; choose with --on-conflict")
        } else {
            let isReasonMissing = plan.needsReason && arguments.text("because") == nil
            let options = isReasonMissing ? "--yes --because REASON" : "--yes"
            try output.line("\(records) would change; \(options) does it")
        }
    }

    private func report(_ result: UndoResult, _ output: Output) throws {
        guard !arguments.isJSON else {
            return try output.json([
                "sequence": .integer(Int128(result.sequence.rawValue)),
                "events": Self.json(result.events),
                "changes": .integer(Int128(result.changeCount)),
                "conflicts": .integer(Int128(result.conflicts.count)), "done": .bool(true),
            ])
        }
        try output.line(
            "event \(result.sequence) takes \(Self.records(result.changeCount)) back; "
                + "`skyros undo \(arguments.storeWord) \(result.sequence) --yes` redoes it")
    }

    private static func records(_ count: Int) -> String {
        "\(count) \(count == 1 ? "record" : "records")"
    }

    private static func json(_ ranges: [ClosedRange<SequenceNumber>]) -> FieldValue {
        .array(
            ranges.map { range in
                .array([range.lowerBound, range.upperBound].map { .integer(Int128($0.rawValue)) })
            })
    }
}
