import SkyrosLog

/// Finds few records with which an event still breaks a condition.
///
/// It begins with the records that the event changes, adds those that it names by their ids, those
/// that name these, and at last all, until the condition breaks. Then it leaves out chunks of them,
/// the longest first. Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
/// Input", IEEE Transactions on Software Engineering 28 (2002).
struct RecordShrinking {
    /// Few records, and the event as it fits them.
    struct History {
        let before: Snapshot
        let event: Event
    }

    /// A record of the state before the event.
    private struct Item {
        let entity: String
        let row: Row

        init(_ entity: String, _ row: Row) {
            self.entity = entity
            self.row = row
        }

        /// The values of its fields.
        var values: [FieldValue] {
            get throws { try Fields(trusted: row.bytes).values.map(\.value) }
        }

        var key: HistoryKey { HistoryKey(entity, row.id) }
    }

    private let original: Snapshot
    private let event: Event
    private let empty: Snapshot
    private let breaks: (History) throws -> Bool
    /// Records that are kept in any case.
    private var required: [Item] = []
    private var requiredKeys: Set<HistoryKey> = []
    /// The number of histories that were tried.
    private(set) var candidateCount = 0

    /// Trying one takes as long as it has records.
    private static let candidatesMax = 2_000

    /// - Parameters:
    ///   - original: the state before the event.
    ///   - empty: the state before the first event, with the types of the archive.
    ///   - entities: those of which all records are kept.
    ///   - keepsNamed: whether the records are kept that the event's command names, and those that
    ///     the changed ones name: it may read them when it is executed again.
    ///   - breaks: whether a history breaks the condition with its event.
    init(
        _ event: Event, on original: Snapshot, empty: Snapshot, keeping entities: [String],
        keepsNamed: Bool, _ breaks: @escaping (History) throws -> Bool
    ) throws {
        self.original = original
        self.event = event
        self.empty = empty
        self.breaks = breaks
        for change in event.changes {
            if let id = change.id { add(change.entity, id) }
        }
        for entity in entities {
            for row in original.table(entity)?.sortedRows() ?? [] { add(Item(entity, row)) }
        }
        if keepsNamed, let intent = event.intent {
            var values = [try intent.value]
            for item in required { values += try item.values }
            for item in named(by: values) { add(item) }
        }
    }

    private mutating func add(_ entity: String, _ id: RecordID) {
        if let row = original.table(entity)?.row(id) { add(Item(entity, row)) }
    }

    private mutating func add(_ item: Item) {
        if requiredKeys.insert(item.key).inserted { required.append(item) }
    }

    /// The smallest history that was found.
    ///
    /// - Throws: what `breaks` throws for the whole state; what it throws for others means that
    ///   these do not show the problem. `CancellationError`.
    mutating func run() throws -> History {
        var last: Int?
        for level in 0...2 {
            let optional = try self.optional(level)
            if optional.count != last, try fails(optional) { return try reduced(optional) }
            last = optional.count
        }
        let all = original.entities.flatMap { entity in
            (original.table(entity)?.sortedRows() ?? []).map { Item(entity, $0) }
        }
        return try reduced(all.filter { !requiredKeys.contains($0.key) })
    }

    // MARK: Candidates

    /// The records that a level adds to the required ones.
    private func optional(_ level: Int) throws -> [Item] {
        guard level > 0 else { return [] }
        var values = try eventValues()
        for item in required { values += try item.values }
        var items = named(by: values)
        if level > 1 {
            items += try naming(ids: event.changes.compactMap(\.id) + items.map(\.row.id))
        }
        var keys = requiredKeys
        return items.filter { keys.insert($0.key).inserted }
    }

    /// The values in the event.
    private func eventValues() throws -> [FieldValue] {
        var values = try event.intent.map { [try $0.value] } ?? []
        for change in event.changes {
            switch change {
            case .inserted(let record), .deleted(let record):
                values += try record.fields.values.map(\.value)
            case .updated(_, _, let before, let after):
                values += try before.values.map(\.value) + after.values.map(\.value)
            case .cleared: break
            }
        }
        return values
    }

    /// The records whose ids are among values, or within them.
    private func named(by values: [FieldValue]) -> [Item] {
        var ids: Set<RecordID> = []
        for value in values { Self.forEachScalar(of: value) { ids.formUnion(Self.id($0)) } }
        return original.tables.flatMap { table in
            ids.sorted().compactMap { id in table.row(id).map { Item(table.entity, $0) } }
        }
    }

    /// The records that have one of these ids in a field.
    private func naming(ids: [RecordID]) throws -> [Item] {
        let ids = Set(ids)
        return try original.tables.flatMap { table in
            try table.sortedRows().map { Item(table.entity, $0) }.filter { item in
                var isNaming = false
                for value in try item.values {
                    Self.forEachScalar(of: value) { scalar in
                        isNaming = isNaming || !ids.isDisjoint(with: Self.id(scalar))
                    }
                }
                return isNaming
            }
        }
    }

    private static func id(_ value: FieldValue) -> [RecordID] {
        (try? RecordID(value)).map { [$0] } ?? []
    }

    private static func forEachScalar(of value: FieldValue, _ body: (FieldValue) -> Void) {
        switch value {
        case .array(let elements): for element in elements { forEachScalar(of: element, body) }
        case .map(let members): for (_, member) in members { forEachScalar(of: member, body) }
        case .null, .bool, .double: break
        default: body(value)
        }
    }

    // MARK: Shrinking

    private mutating func reduced(_ items: [Item]) throws -> History {
        var items = items
        var isSmaller = true
        while isSmaller, candidateCount < Self.candidatesMax {
            isSmaller = try reduce(&items)
        }
        return try history(of: items)
    }

    /// Leaves out chunks, each once; returns whether one was not needed.
    private mutating func reduce(_ items: inout [Item]) throws -> Bool {
        let count = items.count
        var length = max(1, count)
        while !items.isEmpty, candidateCount < Self.candidatesMax {
            var end = items.count
            while end > 0, candidateCount < Self.candidatesMax {
                let range = max(0, end - length)..<end
                var fewer = items
                fewer.removeSubrange(range)
                if try fails(fewer) { items = fewer }
                end = range.lowerBound
            }
            if length == 1 { break }
            length /= 2
        }
        return items.count < count && !items.isEmpty
    }

    /// Whether the event breaks the condition with these records and the required ones.
    private mutating func fails(_ items: [Item]) throws -> Bool {
        try Task.checkCancellation()
        candidateCount += 1
        // Without some records it may not even be asked.
        return (try? breaks(history(of: items))) ?? false
    }

    private func history(of items: [Item]) throws -> History {
        let before = try state(of: items + required)
        return History(before: before, event: try event.fitted(to: before))
    }

    /// The state before the event, if there were only these records.
    private func state(of items: [Item]) throws -> Snapshot {
        var state = empty
        state.schemas = original.schemas
        guard original.sequence > .zero else { return state }
        let sorted = items.sorted { ($0.entity, $0.row.number) < ($1.entity, $1.row.number) }
        let event = Event(
            sequence: original.sequence, time: original.time, metadata: Metadata(), intent: nil,
            changes: sorted.map { item in
                .inserted(
                    Record(
                        entity: item.entity, id: item.row.id,
                        fields: Fields(trusted: item.row.bytes)))
            },
            versions: sorted.map(\.row.version))
        state.move(
            to: original.sequence.advanced(by: -1), time: original.time,
            rawChainHash: original.chainHash.rawValue)
        var unused = DirtyRows(isRecording: false)
        try state.fold { state in
            try Projector.apply(
                event, chainHash: original.chainHash, to: &state, marking: &unused)
        }
        return state
    }
}

extension Event {
    /// The event with the counts of the records that it clears in another state.
    fileprivate func fitted(to state: Snapshot) throws -> Event {
        guard changes.contains(where: { if case .cleared = $0 { true } else { false } }) else {
            return self
        }
        var counts: [[UInt8]: Int] = [:]
        var fitted = changes
        for (index, change) in changes.enumerated() {
            let key = Array(change.entity.utf8)
            let count = counts[key] ?? state.count(change.entity)
            switch change {
            case .inserted: counts[key] = count + 1
            case .deleted: counts[key] = count - 1
            case .updated: break
            case .cleared:
                fitted[index] = .cleared(entity: change.entity, count: count)
                counts[key] = 0
            }
        }
        return Event(
            sequence: sequence, time: time, metadata: metadata, intent: intent, key: key,
            changes: fitted, additions: additions, changeAdditions: changeAdditions,
            versions: versions, formerVersions: formerVersions, schemas: schemas)
    }
}
