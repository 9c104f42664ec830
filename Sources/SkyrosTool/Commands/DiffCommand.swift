import Foundation
import Skyros

/// `skyros diff`: what differs between two moments, or between two stores.
struct DiffCommand: Command {
    static let name = "diff"
    static let summary = "Show the records that differ between two moments, or two stores"
    static let usage = "STORE A [B] [--with STORE] [--entity E] [--json]"
    static let details = """
          A, B          moments: the number of an event, -10 for the tenth before the last, or a
                        time; B is the newest state if it is left out
          --with STORE  B, or the newest state, is that of another store; the first event that the
                        two do not have in common is named
          --entity E    only the records of this entity

        A field has its value at A and then at B. The exit code is 1 if anything differs, also
        events that have led to the same records.

          skyros diff Orders.skyros -10
          skyros diff Orders.skyros 2026-05-09 2026-05-10 --entity Order
          skyros diff Orders.skyros 1000 1000 --with Copy.skyros
        """
    static let options: Set<String> = ["with", "entity"]

    private let arguments: Arguments
    private let moments: [MomentArgument]

    init(_ arguments: Arguments) throws {
        guard (1...2).contains(arguments.rest.count) else {
            throw UsageError("diff needs one moment or two")
        }
        self.arguments = arguments
        moments = try arguments.rest.map { try MomentArgument($0, for: "diff") }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        let other = try arguments.text("with").map { try Archive(at: URL(filePath: $0)) }
        let bar = ProgressBar(ProgressBar.Step(.reading, 0.5), ProgressBar.Step(.reading, 0.5))
        defer { bar.finish() }
        let entity = arguments.text("entity")
        let differences = try differences(archive, other ?? archive, entity, bar)
        if let entity, differences.isEmpty { try archive.require(entity) }
        let hasSameEvents = try other.map { try compareEvents(archive, $0, bar, output) } ?? true
        bar.finish()
        for difference in differences { try print(difference, to: output) }
        return differences.isEmpty && hasSameEvents
    }

    /// Names the first event that two stores do not have in common; returns whether there is none.
    private func compareEvents(
        _ archive: Archive, _ other: Archive, _ bar: ProgressBar, _ output: Output
    ) throws -> Bool {
        var (event, note): (SequenceNumber?, String?)
        do {
            event = try archive.firstDifference(from: other)
        } catch let error as StoreError where error.code == .belowFloor {
            // The records can be compared.
            note = error.message
        }
        bar.finish()
        if arguments.isJSON {
            try output.json([
                "firstDifference": event.map { .integer(Int128($0.rawValue)) } ?? .null,
                "note": note.map { .text($0) } ?? .null,
            ])
        } else if let event {
            try output.line("the stores differ from event \(event) on")
        } else if let note {
            try output.line(note)
        }
        return event == nil && note == nil
    }

    private func differences(
        _ archive: Archive, _ other: Archive, _ entity: String?, _ bar: ProgressBar
    ) throws -> [RecordDifference] {
        let first = try moments[0].moment(in: archive)
        let second = try moments.dropFirst().first?.moment(in: other) ?? .sequence(other.sequence)
        func update(_ done: Int, _ total: Int) { bar.update(.reading, done, of: total) }
        if other === archive {
            return try archive.diff(from: first, to: second, in: entity, progress: update)
        }
        let before = try archive.nearestSnapshot(asOf: first, progress: update)
        let after = try other.nearestSnapshot(asOf: second, progress: update)
        return after.differences(from: before, in: entity)
    }

    private func print(_ difference: RecordDifference, to output: Output) throws {
        if arguments.isJSON { return try output.json(EventText.json(difference)) }
        for line in try EventText.lines(difference) { try output.line(line) }
    }
}
