import Foundation
import Skyros

/// `skyros log`: lists events.
struct LogCommand: Command {
    static let name = "log"
    static let summary = "List events: actor, time, reason and changes"
    static let usage = """
        STORE [--from N] [--to N] [--entity E] [--id X] [--actor A] [--since T] [--until T] \
        [--follow] [--json]
        """
    static let details = """
          --from N, --to N      only events in this range of numbers
          --since T, --until T  only events in this range of times, as 2026-03-01T12:00:00Z
          --entity E            only events that change records of this entity
          --id X                only events that change the record with this id
          --actor A             only events by this actor
          --follow              wait for new events and print them, until interrupted

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
    /// Filters by `--id`. Needs all events from the first one on, whatever `--from` says.
    private let watch: RecordWatch?

    /// The interval in seconds at which `--follow` checks for new events.
    private static let pollInterval = 0.1

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
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
        var isPastUntil = false
        while true {
            let last = min(to ?? archive.sequence, archive.sequence)
            var events = archive.events(next..<max(next, last.next)).makeIterator()
            while !isPastUntil, let event = try events.next() {
                if let until, event.time > until {
                    isPastUntil = true
                } else if matches(event, &watch), event.sequence >= from {
                    try print(event)
                }
            }
            next = max(next, last.next)
            if let to, next > to { return true }
            guard arguments.has("follow"), !isPastUntil else { return true }
            while try !archive.refresh() { Thread.sleep(forTimeInterval: Self.pollInterval) }
        }
    }

    private func matches(_ event: Event, _ watch: inout RecordWatch?) -> Bool {
        var changes = event.changes
        if let entity = arguments.text("entity") { changes.removeAll { $0.entity != entity } }
        if var watched = watch {
            // The watch must process every change.
            changes = changes.filter { watched.note($0) }
            watch = watched
        }
        if let since, event.time < since { return false }
        if let actor = arguments.text("actor"), event.metadata.actor != actor { return false }
        let filtersChanges = watch != nil || arguments.text("entity") != nil
        return !filtersChanges || !changes.isEmpty
    }

    private func print(_ event: Event) throws {
        if arguments.isJSON {
            Output.json(try EventText.json(event))
        } else {
            for line in try EventText.lines(event) { Output.line(line) }
        }
    }
}
