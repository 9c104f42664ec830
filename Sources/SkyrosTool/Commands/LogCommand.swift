import Foundation
import Skyros

/// `skyros log`: the events.
struct LogCommand: Command {
    static let name = "log"
    static let summary = "The events: who, when, why, and what changed"
    static let usage = """
        STORE [--from N] [--to N] [--entity E] [--id X] [--actor A] [--since T] [--until T] \
        [--follow] [--json]
        """
    static let details = """
          --from N, --to N      only events with these numbers
          --since T, --until T  only events of this time, such as 2026-03-01T12:00:00Z
          --entity E            only events that change records of this entity
          --id X                only events that change the record with this id
          --actor A             only events by this actor
          --follow              go on with new events as they are written, until interrupted

          skyros log Orders.skyros --actor alice --since 2026-03-01
          skyros log Orders.skyros --follow --json | jq .reason
        """
    static let options: Set<String> = ["from", "to", "entity", "id", "actor", "since", "until"]
    static let flags: Set<String> = ["follow"]

    private let arguments: Arguments
    private let from: SequenceNumber
    private let to: SequenceNumber?
    private let since: EventTime?
    private let until: EventTime?
    private let ids: Set<RecordID>?

    /// How often a followed store is looked at.
    private static let pollInterval = 0.1

    init(_ arguments: Arguments) throws {
        guard arguments.rest.isEmpty else {
            throw UsageError("\"\(arguments.rest[0])\" is not understood; options begin with --")
        }
        self.arguments = arguments
        from = try arguments.sequence("from") ?? 1
        to = try arguments.sequence("to")
        since = try arguments.date("since").map { EventTime($0) }
        until = try arguments.date("until").map { EventTime($0) }
        ids = try arguments.text("id").map { Set(try RecordFinder($0).candidates) }
    }

    func run() throws -> Bool {
        let archive = try Archive(at: arguments.store)
        var next = max(from, 1)
        while true {
            let last = min(to ?? archive.sequence, archive.sequence)
            try archive.forEachEvent(from: next, through: last) { event in
                if let until, event.time > until { return false }
                if matches(event) { try print(event) }
                return true
            }
            next = max(next, last.next)
            if let to, next > to { return true }
            guard arguments.has("follow") else { return true }
            while try !archive.refresh() { Thread.sleep(forTimeInterval: Self.pollInterval) }
        }
    }

    private func matches(_ event: Event) -> Bool {
        if let since, event.time < since { return false }
        if let actor = arguments.text("actor"), event.metadata.actor != actor { return false }
        let entity = arguments.text("entity")
        guard entity != nil || ids != nil else { return true }
        return event.changes.contains { change in
            if let entity, change.entity != entity { return false }
            guard let ids else { return true }
            return change.id.map { ids.contains($0) } ?? false
        }
    }

    private func print(_ event: Event) throws {
        if arguments.isJSON {
            Output.json(try EventText.json(event))
        } else {
            for line in try EventText.lines(event) { Output.line(line) }
        }
    }
}
