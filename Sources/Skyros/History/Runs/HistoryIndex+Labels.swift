import SkyrosLog

// Answers from the labels of events.

extension HistoryIndex {
    /// The events of a part in a range that may pass a filter, in order; nil if only the log says.
    ///
    /// - Complexity: O(events with the rarest label), as a rule, and O(log n) frames of a run.
    func candidates(
        for filter: EventFilter, of part: Part, in range: ClosedRange<UInt64>
    ) throws -> [UInt64]? {
        guard case .run(let run) = part else { return nil }
        do {
            return try candidates(for: filter) { condition in
                try condition.labels { try run.labels($0) }.map { label in
                    try run.postings(of: label, hash: label.hash, in: range)
                }
            }
        } catch let error as LogError where error.file == run.name.path {
            remove(run, because: error)
            return nil
        }
    }

    /// The same of the events that no run covers.
    func candidates(
        for filter: EventFilter, of tail: RunTail, in range: ClosedRange<UInt64>
    ) throws -> [UInt64]? {
        let (last, reader) = (SequenceNumber(rawValue: range.upperBound), EventReader(log))
        return try candidates(for: filter) { condition in
            // The memory may be full at any of these questions.
            var isKnown = true
            func known<T>(_ list: [T]?) -> [T] {
                if list == nil { isKnown = false }
                return list ?? []
            }
            let labels = try condition.labels { kind in
                known(try tail.labels(kind, through: last, in: reader))
            }
            let lists = try labels.map { label in
                known(try tail.postings(of: label, through: last, in: reader))
                    .filter { range.contains($0) }
            }
            return isKnown ? lists : nil
        }
    }

    /// What the conditions of a filter have in common.
    ///
    /// - Parameter find: the events that have each of the labels of a condition; nil if only the
    ///   log says.
    private func candidates(
        for filter: EventFilter, _ find: (LabelCondition) throws -> [[UInt64]]?
    ) throws -> [UInt64]? {
        var common: [UInt64]?
        for condition in LabelCondition.list(of: filter) {
            // Reading the events costs less than a long list that leaves out few of them.
            if let common, common.count <= Self.fewEvents { break }
            guard let lists = try find(condition) else { return common }
            var found = Array(lists.joined())
            if lists.count > 1 { found.sort() }
            common = common.map { Postings.common($0, found) } ?? found
        }
        return common
    }

    private static let fewEvents = 16

    /// The names of the entities that any event through `last` changes; nil if only the log says.
    func entities(through last: SequenceNumber) throws -> [String]? {
        let (parts, tail) = current()
        guard var names = try tail.labels(.entity, through: last, in: EventReader(log)) else {
            return nil
        }
        for part in parts where part.sequences.lowerBound <= last.rawValue {
            guard case .run(let run) = part else { return nil }
            do {
                names += try run.labels(.entity)
            } catch let error as LogError where error.file == run.name.path {
                remove(run, because: error)
                return nil
            }
        }
        // A name that was cut is not known whole.
        if names.contains(where: EventLabel.isCut) { return nil }
        return names.sortedNames().reduce(into: []) { list, name in
            if list.last.map({ !$0.isSameName(as: name) }) ?? true { list.append(name) }
        }
    }
}

/// A condition of a filter that labels answer.
enum LabelCondition {
    case label(EventLabel.Kind, String)
    /// A text in the reason.
    case reason(String)

    /// The conditions of a filter, those first that few events meet as a rule.
    static func list(of filter: EventFilter) -> [LabelCondition] {
        var list: [LabelCondition] = []
        func add(_ kind: EventLabel.Kind, _ text: String?) {
            if let text { list.append(.label(kind, text)) }
        }
        if filter.hasSchemas { add(.schema, "") }
        add(.key, filter.key)
        add(.correlation, filter.correlation)
        add(.causation, filter.causation)
        for (name, value) in filter.tags.sorted(by: { $0.key < $1.key }) {
            if let value { add(.value, EventLabel.tag(name, value)) } else { add(.tag, name) }
        }
        if let reason = filter.reason { list.append(.reason(reason)) }
        add(.intent, filter.intent)
        add(.actor, filter.actor)
        add(.entity, filter.entity)
        return list
    }

    /// The labels of which an event must have one.
    ///
    /// - Parameter all: the texts of all labels of a kind.
    func labels(_ all: (EventLabel.Kind) throws -> [String]) rethrows -> [HistoryKey] {
        switch self {
        case .label(let kind, let text): [EventLabel.key(kind, text)]
        case .reason(let part):
            try all(.reason)
                .filter { $0.contains(part) || EventLabel.isCut($0) }
                .map { EventLabel.key(.reason, $0) }
        }
    }
}
