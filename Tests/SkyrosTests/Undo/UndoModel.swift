import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

struct Piece: Entity {
    var id: Int
    var a: Int?
    var b: Int?
    var c: Int?
}

struct Tile: Entity {
    var id: Int
    var a: Int?
    var b: Int?
}

/// The oracle of undo: every state of a history as plain dictionaries, and the rules of undo as
/// loops over them.
struct UndoModel {
    struct Key: Hashable, CustomStringConvertible {
        let entity: String
        let id: Int

        var description: String { "\(entity) \(id)" }
    }

    typealias Values = [String: Int]
    typealias State = [Key: Values]

    /// What an undo does: nil in place of values is a deletion.
    struct Outcome {
        var changes: [Key: Values?] = [:]
        var conflicts: Set<Key> = []
        var isRefused = false
    }

    /// The state after each event; the first is before the first event.
    private(set) var states: [State] = [[:]]
    private var keys: Set<Key> = []

    var newest: State { states[states.count - 1] }

    mutating func append(_ state: State) {
        states.append(state)
        keys.formUnion(state.keys)
    }

    /// Whether an event changed a record.
    func changes(_ event: Int, _ key: Key) -> Bool {
        states[event - 1][key] != states[event][key]
    }

    func outcome(of ranges: [ClosedRange<Int>], _ resolution: UndoResolution) -> Outcome {
        var outcome = Outcome()
        for key in keys {
            let steps = steps(of: key, ranges)
            guard let first = steps.first, let last = steps.last else { continue }
            let (target, found) = (first.before, newest[key])
            if found == target { continue }
            let isUnbroken = zip(steps, steps.dropFirst()).allSatisfy { $0.after == $1.before }
            if isUnbroken, target == last.after { continue }
            if isUnbroken, found == last.after {
                outcome.changes[key] = .some(target)
                continue
            }
            outcome.conflicts.insert(key)
            switch resolution {
            case .refuse: outcome.isRefused = true
            case .skip: break
            case .restore: outcome.changes[key] = .some(target)
            case .merge:
                if let merged = Self.merge(steps.reversed(), onto: found) {
                    if merged != found { outcome.changes[key] = .some(merged) }
                } else {
                    outcome.isRefused = true
                }
            }
        }
        if outcome.isRefused, resolution == .merge {
            // Those that can be merged are no conflicts of the refused plan.
            outcome.conflicts = outcome.conflicts.filter { key in
                let steps = steps(of: key, ranges)
                return Self.merge(steps.reversed(), onto: newest[key]) == nil
            }
        }
        return outcome
    }

    private func steps(
        of key: Key, _ ranges: [ClosedRange<Int>]
    ) -> [(before: Values?, after: Values?)] {
        ranges.map { (states[$0.lowerBound - 1][key], states[$0.upperBound][key]) }
            .filter { $0.0 != $0.1 }
    }

    /// The record with the fields of the steps taken back; nil if others changed the same ones.
    private static func merge(
        _ steps: [(before: Values?, after: Values?)], onto found: Values?
    ) -> Values?? {
        var side = found
        for (before, after) in steps {
            if before == side { continue }
            if side == after {
                side = before
                continue
            }
            guard let old = side, let before else { return nil }
            var merged = old
            for name in Set(old.keys).union(before.keys).union(after?.keys.map { $0 } ?? []) {
                if before[name] == after?[name] || before[name] == old[name] { continue }
                guard old[name] == after?[name] else { return nil }
                merged[name] = before[name]
            }
            side = merged
        }
        return .some(side)
    }
}

/// A store with a random history, and the model of that history.
struct UndoHistory {
    let store: Store
    var model = UndoModel()
    var random: RandomSource

    init(seed: UInt64, _ options: Store.Options = Store.Options()) throws {
        store = try Store(
            on: SimulatedDisk(), entities: Piece.self, Tile.self, options: options)
        random = RandomSource(seed: seed)
    }

    /// Appends an event that changes at least one record of few.
    mutating func write() throws {
        let number = model.states.count
        var next = model.newest
        try store.write(metadata: Metadata(correlation: "c\(random.below(number / 4 + 1))")) { tx in
            if random.below(150) == 0, next.contains(where: { $0.key.entity == "Tile" }) {
                try tx.deleteAll("Tile")
                next = next.filter { $0.key.entity != "Tile" }
                return
            }
            for _ in 0...random.below(2) { try change(&next, &tx) }
            while next == model.newest { try change(&next, &tx) }
        }
        model.append(next)
    }

    private mutating func change(
        _ state: inout UndoModel.State, _ tx: inout WriteTransaction
    ) throws {
        let key = UndoModel.Key(
            entity: random.below(3) == 0 ? "Tile" : "Piece", id: random.below(4))
        if random.below(5) == 0 {
            state[key] = nil
            try tx.delete(key.entity, RecordID(key.id))
            return
        }
        var values = state[key] ?? ["id": key.id]
        let name = ["a", "b", key.entity == "Tile" ? "a" : "c"][random.below(3)]
        values[name] = random.below(4) == 0 ? nil : random.below(3)
        state[key] = values
        try tx.upsert(
            Record(
                entity: key.entity, id: RecordID(key.id),
                fields: NamedValues(values.mapValues { .integer(Int128($0)) })))
    }

    /// Random ranges of events, or the events of a correlation; at least one changed a record.
    mutating func target() throws -> (UndoTarget, [ClosedRange<Int>]) {
        while true {
            let (target, ranges) = try anyTarget()
            let hasChange = ranges.contains { range in
                range.contains { model.states[$0 - 1] != model.states[$0] }
            }
            if hasChange { return (target, ranges) }
        }
    }

    private mutating func anyTarget() throws -> (UndoTarget, [ClosedRange<Int>]) {
        let last = model.states.count - 1
        let first = 1 + random.below(last)
        switch random.below(3) {
        case 0: return (.event(SequenceNumber(rawValue: UInt64(first))), [first...first])
        case 1:
            let end = min(last, first + random.below(12))
            return (.events(SequenceNumber.range(UInt64(first)...UInt64(end))), [first...end])
        default:
            let event = try #require(try store.event(SequenceNumber(rawValue: UInt64(first))))
            guard let correlation = event.metadata.correlation else {
                return (.event(event.sequence), [first...first])
            }
            let events = try Array(store.events())
                .filter { $0.metadata.correlation == correlation }.map(\.sequence)
            let ranges = events.ranges.map {
                Int($0.lowerBound.rawValue)...Int($0.upperBound.rawValue)
            }
            return (.correlation(correlation), ranges)
        }
    }
}

extension Record {
    /// The fields that are integers.
    var integers: UndoModel.Values {
        get throws {
            let values = try fields.readValues().compactMap { name, value in
                value.integer.map { (name, Int($0)) }
            }
            return Dictionary(uniqueKeysWithValues: values)
        }
    }
}

extension Snapshot {
    /// The records as the model has them.
    func modelState() throws -> UndoModel.State {
        var state: UndoModel.State = [:]
        for entity in ["Piece", "Tile"] {
            for record in try records(entity) {
                let values = try record.integers
                state[UndoModel.Key(entity: entity, id: values["id"] ?? -1)] = values
            }
        }
        return state
    }
}
