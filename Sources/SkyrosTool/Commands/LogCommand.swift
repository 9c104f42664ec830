import Foundation
import Skyros

/// `skyros log`: lists events.
struct LogCommand: Command {
    static let name = "log"
    static let summary = "List events: actor, time, reason and changes"
    static let usage = """
        STORE [--from N] [--to N] [--since T] [--until T] [--entity E] [--id X] [--actor A] \
        [--reason TEXT] [--tag NAME[=VALUE]] [--correlation C] [--causation C] [--intent NAME] \
        [--limit N] [--reverse | --follow] [--json]
        """
    static let details = """
          --from N, --to N      only events in this range of numbers
          --since T, --until T  only events in this range of times; a date means its start in
                                --since and its end in --until
          --entity E            only events that change records of this entity
          --id X                only events that change the record with this id
          --actor A             only events by this actor
          --reason TEXT         only events whose reason contains this text
          --tag NAME[=VALUE]    only events with this tag; may be repeated
          --correlation C, --causation C, --intent NAME
                                only events with exactly this
          --limit N             at most N events
          --reverse             the newest event first
          --follow              wait for new events and print them, until interrupted

          skyros log Orders.skyros --actor alice --since 2026-03-01
          skyros log Orders.skyros --reverse --limit 10
          skyros log Orders.skyros --follow --json | jq .reason
        """
    static let options: Set<String> = EventFilter.options.union([
        "from", "to", "since", "until", "limit",
    ])
    static let repeatable: Set<String> = ["tag"]
    static let flags: Set<String> = ["follow", "reverse"]

    private let arguments: Arguments
    private let from: SequenceNumber
    private let to: SequenceNumber?
    private let since: EventTime?
    private let until: EventTime?
    private let limit: UInt64
    private let filter: EventFilter

    /// The interval in seconds at which `--follow` checks for new events.
    private static let pollInterval = 0.1

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
        from = try max(arguments.sequence("from") ?? 1, 1)
        to = try arguments.sequence("to")
        since = try arguments.time("since")?.first
        until = try arguments.time("until")?.last
        limit = try arguments.number("limit", "a number of events") ?? .max
        filter = try EventFilter(arguments)
        if arguments.has("follow"), arguments.has("reverse") {
            throw UsageError("--follow and --reverse exclude each other")
        }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        if to == nil, until == nil { archive.warnOfLostEvents() }
        var listing = Listing(filter: filter, limit: limit)
        let first = try since.map { max(from, try archive.firstSequence(since: $0)) } ?? from
        if arguments.has("reverse") {
            try listReversed(archive, from: first, &listing, output)
        } else {
            try list(archive, from: first, &listing, output)
        }
        guard !listing.hasPrinted, limit > 0, !arguments.has("follow") else { return true }
        try requireKnownNames(archive, listing.filter)
        return true
    }

    /// The state of a listing.
    private struct Listing {
        var filter: EventFilter
        var limit: UInt64
        var hasPrinted = false
    }

    private func list(
        _ archive: Archive, from first: SequenceNumber, _ listing: inout Listing, _ output: Output
    ) throws {
        var next = filter.needsAllEvents ? 1 : first
        while true {
            let end = try last(in: archive)
            if next <= end {
                var events = archive.events(next...end).makeIterator()
                while listing.limit > 0, let event = try events.next() {
                    guard listing.filter.passes(event), event.sequence >= first else { continue }
                    try print(event, &listing, to: output)
                }
                next = end.next
            }
            if listing.limit == 0 { return }
            if let to, next > to { return }
            guard arguments.has("follow"), end == archive.sequence else { return }
            try output.flush()
            while try !archive.refresh() { Thread.sleep(forTimeInterval: Self.pollInterval) }
        }
    }

    /// Reads forward in parts that lie one before the other, so that a limit saves work.
    private func listReversed(
        _ archive: Archive, from first: SequenceNumber, _ listing: inout Listing, _ output: Output
    ) throws {
        var end = try last(in: archive)
        // The filter for a record must see all events, and so only their numbers are kept.
        let chosen = filter.needsAllEvents ? try choose(archive, through: end, &listing) : nil
        while listing.limit > 0, end >= first {
            let start = max(first, end.advanced(by: -Self.partCount + 1))
            for event in try Array(archive.events(start...end)).reversed() where listing.limit > 0 {
                let isChosen = chosen?.contains(event.sequence) ?? listing.filter.passes(event)
                if isChosen { try print(event, &listing, to: output) }
            }
            end = start.advanced(by: -1)
        }
    }

    /// Events that are read together.
    private static let partCount = 512

    private func choose(
        _ archive: Archive, through end: SequenceNumber, _ listing: inout Listing
    ) throws -> Set<SequenceNumber> {
        var chosen: Set<SequenceNumber> = []
        try archive.events(1..<end.next).forEach { event in
            if listing.filter.passes(event) { chosen.insert(event.sequence) }
        }
        return chosen
    }

    /// The last event that `--to` and `--until` allow.
    private func last(in archive: Archive) throws -> SequenceNumber {
        let end = min(to ?? archive.sequence, archive.sequence)
        guard let until else { return end }
        let after = try archive.firstSequence(
            since: EventTime(microseconds: until.microseconds + 1))
        return min(end, after.advanced(by: -1))
    }

    private func print(_ event: Event, _ listing: inout Listing, to output: Output) throws {
        listing.limit -= 1
        listing.hasPrinted = true
        if arguments.isJSON {
            try output.json(EventText.json(event))
        } else {
            for line in try EventText.lines(event) { try output.line(line) }
        }
    }

    /// Throws if the filter names an entity or a record that the log does not have at all.
    private func requireKnownNames(_ archive: Archive, _ filter: EventFilter) throws {
        if let entity = arguments.text("entity"), !filter.hasSeenEntity {
            try archive.require(entity)
        }
        if let id = arguments.text("id"), !filter.hasSeenID, to == nil, until == nil {
            try archive.throwUnknown(id, of: arguments.text("entity"))
        }
    }
}
