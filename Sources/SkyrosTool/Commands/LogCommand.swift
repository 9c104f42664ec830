import Foundation
import Skyros

/// `skyros log`: lists events.
struct LogCommand: Command {
    static let name = "log"
    static let summary = "List events: actor, time, reason and changes"
    static let usage = """
        STORE [--from N] [--to N] [--since T] [--until T] [--entity E] [--id X] [--actor A] \
        [--reason TEXT] [--tag NAME[=VALUE]] [--correlation C] [--causation C] [--intent NAME] \
        [--key K] [--limit N] [--occurred] [--reverse | --follow] [--json]
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
          --correlation C, --causation C, --intent NAME, --key K
                                only events with exactly this
          --limit N             at most N events
          --occurred            order events by when they happened, which imports and corrections
                                say; --since and --until mean that time then
          --reverse             the newest event first
          --follow              wait for new events and print them, until interrupted

          skyros log Orders.skyros --actor alice --since 2026-03-01
          skyros log Orders.skyros --reverse --limit 10
          skyros log Orders.skyros --follow --json | jq .reason
        """
    static let options: Set<String> = [
        "from", "to", "since", "until", "limit", "entity", "id", "actor", "reason", "correlation",
        "causation", "intent", "key", "tag",
    ]
    static let repeatable: Set<String> = ["tag"]
    static let flags: Set<String> = ["follow", "occurred", "reverse"]

    private let arguments: Arguments
    private let from: SequenceNumber?
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
        from = try arguments.sequence("from").map { max($0, 1) }
        to = try arguments.sequence("to")
        since = try arguments.time("since")?.first
        until = try arguments.time("until")?.last
        limit = try arguments.number("limit", "a number of events") ?? .max
        var filter = try arguments.eventFilter()
        if arguments.has("occurred") {
            (filter.occurredSince, filter.occurredUntil) = (since, until)
        }
        self.filter = filter
        for other in ["reverse", "occurred"] where arguments.has("follow") && arguments.has(other) {
            throw UsageError("--follow and --\(other) exclude each other")
        }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        if to == nil, until == nil { archive.warnOfLostEvents() }
        if arguments.has("occurred") { return try listByOccurrence(archive, output) }
        let from = from ?? archive.firstSequence
        var next = try since.map { max(from, try archive.firstSequence(since: $0)) } ?? from
        var rest = limit
        let isReversed = arguments.has("reverse")
        while true {
            let end = try last(in: archive)
            if next <= end {
                let events = archive.events(next...end, where: filter, newestFirst: isReversed)
                var iterator = events.makeIterator()
                while rest > 0, let event = try iterator.next() {
                    // Of the events that are new, the first may be earlier than --since.
                    if let since, event.time < since { continue }
                    rest -= 1
                    try print(event, to: output)
                }
                next = end.next
            }
            guard rest > 0, to.map({ next <= $0 }) ?? true, arguments.has("follow"),
                end == archive.sequence
            else { break }
            try output.flush()
            while try !archive.refresh() { Thread.sleep(forTimeInterval: Self.pollInterval) }
        }
        if rest == limit, limit > 0, !arguments.has("follow") { try requireKnownNames(archive) }
        return true
    }

    private func listByOccurrence(_ archive: Archive, _ output: Output) throws -> Bool {
        var found: [(time: EventTime, sequence: SequenceNumber)] = []
        let end = min(to ?? archive.sequence, archive.sequence)
        let from = from ?? archive.firstSequence
        if from <= end {
            try archive.events(from...end, where: filter).forEach {
                found.append(($0.happenedAt, $0.sequence))
            }
        }
        found.sort { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
        if arguments.has("reverse") { found.reverse() }
        for (_, sequence) in found.prefix(Int(clamping: limit)) {
            if let event = try archive.event(sequence) { try print(event, to: output) }
        }
        if found.isEmpty, limit > 0 { try requireKnownNames(archive) }
        return true
    }

    /// The last event that `--to` and `--until` allow.
    private func last(in archive: Archive) throws -> SequenceNumber {
        let end = min(to ?? archive.sequence, archive.sequence)
        guard let until else { return end }
        let after = try archive.firstSequence(
            since: EventTime(microseconds: until.microseconds + 1))
        return min(end, after.advanced(by: -1))
    }

    private func print(_ event: Event, to output: Output) throws {
        if arguments.isJSON {
            try output.json(EventText.json(event))
        } else {
            for line in try EventText.lines(event) { try output.line(line) }
        }
    }

    /// Throws if the filter names an entity or a record that the log does not have at all.
    private func requireKnownNames(_ archive: Archive) throws {
        if let entity = filter.entity { try archive.require(entity) }
        if let id = arguments.text("id"), to == nil, until == nil {
            var all = archive.events(where: EventFilter(entity: filter.entity, ids: filter.ids))
                .makeIterator()
            if try all.next() == nil { try archive.throwUnknown(id, of: filter.entity) }
        }
    }
}

extension Arguments {
    /// The filter that the options of `log` name.
    fileprivate func eventFilter() throws -> EventFilter {
        var tags: [String: String?] = [:]
        for word in texts("tag") {
            let parts = word.unicodeScalars
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let (value, other) = (parts.count == 2 ? String(parts[1]) : nil, tags[name] ?? nil)
            if let value, let other, value != other {
                throw UsageError("--tag \(name) has two values: an event has one")
            }
            tags[name] = .some(value ?? other)
        }
        let ids = try text("id").map { try RecordFinder($0).candidates } ?? []
        return EventFilter(
            actor: text("actor"), reason: text("reason"), correlation: text("correlation"),
            causation: text("causation"), intent: text("intent"), key: text("key"), tags: tags,
            entity: text("entity"), ids: ids)
    }
}
