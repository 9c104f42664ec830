import Skyros
import SkyrosTesting

/// A record of the simulated histories.
struct Slot: Entity, Equatable {
    var id: Int
    var group: Int
    var value: Int
    static let indexes: [Index<Slot>] = [.on(\.group, \.value)]
}

/// The records as a dictionary.
struct SlotModel {
    var slots: [Int: Slot] = [:]

    var all: [Slot] { slots.values.sorted { $0.id < $1.id } }
}

/// A block of few random steps, each of which reads, and may write what follows from its reads.
struct BlockModel: Sendable, CustomStringConvertible {
    enum Step: Sendable {
        /// Adds the value of one record to another; a missing one counts as 0.
        case addRecord(Int, to: Int)
        /// Inserts a record if there is none with its id.
        case insertIfAbsent(Int, group: Int)
        /// Stores the number of a group's records with values from `low` on in a record.
        case storeCount(group: Int, low: Int, in: Int)
        /// Stores the sum of a page of a group in a record.
        case storeSum(group: Int, limit: Int?, isDescending: Bool, in: Int)
        /// Moves the first record of a group to another one.
        case moveFirst(group: Int, to: Int)
        case delete(Int)
        case deleteGroup(Int, below: Int)
        case deleteAll
    }

    let steps: [Step]

    var description: String { "\(steps)" }

    init(_ choose: Choices) {
        steps = (0..<(1 + choose(3))).map { _ in Self.step(choose) }
    }

    private static func step(_ choose: Choices) -> Step {
        let (id, other, group) = (choose(6), choose(6), choose(2))
        return switch choose(24) {
        case 0..<5: .addRecord(id, to: other)
        case 5..<9: .insertIfAbsent(id, group: group)
        case 9..<12: .storeCount(group: group, low: choose(4), in: id)
        case 12..<17:
            .storeSum(
                group: group, limit: choose(3) == 0 ? nil : 1 + choose(2),
                isDescending: choose(2) == 0, in: id)
        case 17..<19: .moveFirst(group: group, to: 1 - group)
        case 19..<21: .delete(id)
        case 21..<23: .deleteGroup(group, below: choose(5))
        default: .deleteAll
        }
    }

    // MARK: In a store

    /// Runs the steps; returns what they have read.
    func run(_ tx: inout WriteTransaction) throws -> [String] {
        var answers: [String] = []
        for step in steps { answers.append(try run(step, &tx)) }
        return answers
    }

    private func run(_ step: Step, _ tx: inout WriteTransaction) throws -> String {
        switch step {
        case .addRecord(let id, let other):
            let added = try tx.get(Slot.self, id)?.value ?? 0
            try store(added + (tx.get(Slot.self, other)?.value ?? 0), in: other, &tx)
            return "\(added)"
        case .insertIfAbsent(let id, let group):
            let isThere = try tx.exists(Slot.self, id)
            if !isThere { try tx.insert(Slot(id: id, group: group, value: id)) }
            return "\(isThere)"
        case .storeCount(let group, let low, let id):
            let count = try tx.count(Slot.self, where: \.group == group && \.value >= low)
            try store(count, in: id, &tx)
            return "\(count)"
        case .storeSum(let group, let limit, let isDescending, let id):
            let slots = try tx.all(
                Slot.self, where: \.group == group,
                sortedBy: [isDescending ? .descending(\.value) : .ascending(\.value)], limit: limit)
            try store(slots.reduce(0) { $0 + $1.value } % 7, in: id, &tx)
            return "\(slots.map { [$0.id, $0.value] })"
        case .moveFirst(let group, let target):
            let first = try tx.first(Slot.self, where: \.group == group, sortedBy: \.value)
            if var first {
                first.group = target
                try tx.update(first)
            }
            return "\(first?.id ?? -1)"
        case .delete(let id): return "\(try tx.delete(Slot.self, id))"
        case .deleteGroup(let group, let below):
            let count = try tx.delete(Slot.self, where: \.group == group && \.value < below)
            return "\(count)"
        case .deleteAll: return "\(try tx.deleteAll(Slot.self))"
        }
    }

    private func store(_ value: Int, in id: Int, _ tx: inout WriteTransaction) throws {
        let group = try tx.get(Slot.self, id)?.group ?? 0
        try tx.upsert(Slot(id: id, group: group, value: value))
    }

    // MARK: In the model

    /// The same in plain Swift.
    func run(_ model: inout SlotModel) -> [String] {
        steps.map { run($0, &model.slots) }
    }

    private func run(_ step: Step, _ slots: inout [Int: Slot]) -> String {
        func store(_ value: Int, in id: Int) {
            slots[id] = Slot(id: id, group: slots[id]?.group ?? 0, value: value)
        }
        func sorted(_ group: Int) -> [Slot] {
            slots.values.filter { $0.group == group }.sorted {
                ($0.value, $0.id) < ($1.value, $1.id)
            }
        }
        switch step {
        case .addRecord(let id, let other):
            let added = slots[id]?.value ?? 0
            store(added + (slots[other]?.value ?? 0), in: other)
            return "\(added)"
        case .insertIfAbsent(let id, let group):
            let isThere = slots[id] != nil
            if !isThere { slots[id] = Slot(id: id, group: group, value: id) }
            return "\(isThere)"
        case .storeCount(let group, let low, let id):
            let count = sorted(group).count { $0.value >= low }
            store(count, in: id)
            return "\(count)"
        case .storeSum(let group, let limit, let isDescending, let id):
            let all =
                isDescending
                ? sorted(group).sorted { ($1.value, $0.id) < ($0.value, $1.id) } : sorted(group)
            let page = all.prefix(limit ?? .max)
            store(page.reduce(0) { $0 + $1.value } % 7, in: id)
            return "\(page.map { [$0.id, $0.value] })"
        case .moveFirst(let group, let target):
            let first = sorted(group).first
            if let first { slots[first.id]?.group = target }
            return "\(first?.id ?? -1)"
        case .delete(let id): return "\(slots.removeValue(forKey: id) != nil)"
        case .deleteGroup(let group, let below):
            let ids = sorted(group).filter { $0.value < below }.map(\.id)
            for id in ids { slots[id] = nil }
            return "\(ids.count)"
        case .deleteAll:
            defer { slots = [:] }
            return "\(slots.count)"
        }
    }
}
