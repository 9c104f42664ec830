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
    /// Reads from the first event on if there is one: it has to know when its records are there.
    private let watch: RecordWatch?

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
        watch = try arguments.text("id").map { RecordWatch(try RecordFinder($0).candidates) }
    }

    func run() throws -> Bool {
        let archive = try Archive(at: arguments.store)
        var watch = watch
        var next = watch == nil ? max(from, 1) : 1
        var isOver = false
        while true {
            let last = min(to ?? archive.sequence, archive.sequence)
            var events = archive.events(next..<max(next, last.next)).makeIterator()
            while !isOver, let event = try events.next() {
                if let until, event.time > until {
                    isOver = true
                } else if matches(event, &watch), event.sequence >= from {
                    try print(event)
                }
            }
            next = max(next, last.next)
            if let to, next > to { return true }
            guard arguments.has("follow"), !isOver else { return true }
            while try !archive.refresh() { Thread.sleep(forTimeInterval: Self.pollInterval) }
        }
    }

    private func matches(_ event: Event, _ watch: inout RecordWatch?) -> Bool {
        var changes = event.changes
        if let entity = arguments.text("entity") { changes.removeAll { $0.entity != entity } }
        if var watched = watch {
            // All of them, as the watch learns from each.
            changes = changes.filter { watched.note($0) }
            watch = watched
        }
        if let since, event.time < since { return false }
        if let actor = arguments.text("actor"), event.metadata.actor != actor { return false }
        let isNarrowed = watch != nil || arguments.text("entity") != nil
        return !isNarrowed || !changes.isEmpty
    }

    private func print(_ event: Event) throws {
        if arguments.isJSON {
            Output.json(try EventText.json(event))
        } else {
            for line in try EventText.lines(event) { Output.line(line) }
        }
    }
}
