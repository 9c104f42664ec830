import Foundation
import Skyros
import TestSupport

/// A request as the library gets it, and as plain Swift understands it.
struct RequestModel<I: Indexing> {
    typealias Value = Item<I>

    var request: FetchRequest<Value>
    private let passes: (Value) -> Bool
    private let orders: [(Value, Value) -> ComparisonResult]

    /// What `request` is to give, out of `values`.
    func answer(from values: [Value]) -> [Value] {
        let passing = values.filter(passes).sorted { a, b in
            for order in orders {
                switch order(a, b) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return RecordID(a.id) < RecordID(b.id)
        }
        return Array(passing.dropFirst(request.offset).prefix(request.limit ?? .max))
    }

    init(_ random: inout RandomSource) {
        let (filter, passes) = Self.filter(&random, depth: random.below(4))
        let sorts = (0..<random.below(4)).map { _ in Self.sort(&random) }
        request = FetchRequest(
            where: random.below(8) == 0 ? nil : filter, sortedBy: sorts.map(\.0),
            offset: random.below(3) == 0 ? random.below(40) : 0,
            limit: random.below(2) == 0 ? nil : random.below(30))
        let hasFilter = request.filter != nil
        self.passes = { !hasFilter || passes($0) }
        orders = sorts.map(\.1)
    }

    private typealias Condition = (Filter<Value>, (Value) -> Bool)

    private static func filter(_ random: inout RandomSource, depth: Int) -> Condition {
        guard depth > 0 else { return atom(&random) }
        let (a, b) = (filter(&random, depth: depth - 1), filter(&random, depth: depth - 1))
        switch random.below(6) {
        case 0: return (a.0 || b.0, { a.1($0) || b.1($0) })
        case 1: return (!a.0, { !a.1($0) })
        default: return (a.0 && b.0, { a.1($0) && b.1($0) })
        }
    }

    private static func atom(_ random: inout RandomSource) -> Condition {
        let (group, rank, number) = (random.group(), random.below(7) - 3, Double(random.below(5)))
        let kind = Value.Kind.allCases[random.below(3)]
        let date = Date(timeIntervalSinceReferenceDate: Double(random.below(6)) * 0.5)
        switch random.below(28) {
        case 0: return (\.group == group, { $0.group == group })
        case 1: return (\.group != group, { $0.group != group })
        case 2:
            return (\.group == group && \.rank == rank, { $0.group == group && $0.rank == rank })
        case 3: return (\.rank < rank, { $0.rank < rank })
        case 4: return (\.rank >= rank, { $0.rank >= rank })
        case 5: return (\.weight <= number, { $0.weight <= number })
        case 6: return (\.weight == 0, { $0.weight == 0 })
        case 7: return (\.weight > number, { $0.weight > number })
        case 8: return (\.note == nil, { $0.note == nil })
        case 9: return (\.note == group, { $0.note == group })
        case 10: return (\.score < number, { $0.score.map { $0 < number } ?? false })
        case 11: return (\.score >= number, { $0.score.map { $0 >= number } ?? false })
        case 12: return (\.kind == kind, { $0.kind == kind })
        case 13: return (\.isOpen == true, { $0.isOpen })
        case 14: return (\.changed > date, { $0.changed > date })
        case 15:
            let predicate = #Predicate<Value> { $0.group == group && $0.rank <= rank }
            return (Filter(predicate), { $0.group == group && $0.rank <= rank })
        case 16: return (.test { $0.rank == rank }, { $0.rank == rank })
        default: return named(&random)
        }
    }

    /// A condition that has a name, or is a truth value.
    private static func named(_ random: inout RandomSource) -> Condition {
        let groups = (0..<random.below(4)).map { _ in random.group() }
        let (rank, number) = (random.below(7) - 3, Double(random.below(5)))
        let part = String(random.group().prefix(1))
        switch random.below(11) {
        case 0: return (.in(\.group, groups), { groups.contains($0.group) })
        case 1:
            let ranks = Set([rank, rank + 2])
            return (
                \.group == part && .in(\.rank, ranks),
                { $0.group == part && ranks.contains($0.rank) }
            )
        case 2:
            return (.in(\.note, groups), { $0.note.map(groups.contains) ?? false })
        case 3:
            return (.in(\.weight, [number, .nan]), { $0.weight == number })
        case 4:
            return (.between(\.weight, -1...number), { (-1...number).contains($0.weight) })
        case 5:
            return (
                .between(\.score, 1..<number + 1),
                { $0.score.map { (1..<number + 1).contains($0) } ?? false }
            )
        case 6: return (.hasPrefix(\.group, part), { $0.group.hasPrefix(part) })
        case 7:
            return (
                .hasSuffix(\.note, part) || .contains(\.group, "z"),
                { $0.note?.hasSuffix(part) ?? false || $0.group.contains("z") }
            )
        case 8: return (Filter(\.isOpen), { $0.isOpen })
        case 9: return (!\.isOpen, { !$0.isOpen })
        default:
            let predicate = #Predicate<Value> { groups.contains($0.group) || !$0.isOpen }
            return (Filter(predicate), { groups.contains($0.group) || !$0.isOpen })
        }
    }

    private static func sort(
        _ random: inout RandomSource
    ) -> (Sort<Value>, (Value, Value) -> ComparisonResult) {
        func order<V: Comparable>(
            _ path: FieldPath<Value, V>
        ) -> (Value, Value) -> ComparisonResult {
            { a, b in
                let (a, b) = (a[keyPath: path], b[keyPath: path])
                if let a = a as? String, let b = b as? String { return bytes(a, b) }
                return a < b ? .orderedAscending : b < a ? .orderedDescending : .orderedSame
            }
        }
        func notes(_ a: Value, _ b: Value) -> ComparisonResult {
            switch (a.note, b.note) {
            case (nil, nil): .orderedSame
            case (nil, _): .orderedAscending
            case (_, nil): .orderedDescending
            case (let a?, let b?): bytes(a, b)
            }
        }
        func bytes(_ a: String, _ b: String) -> ComparisonResult {
            a.utf8.lexicographicallyPrecedes(b.utf8)
                ? .orderedAscending
                : b.utf8.lexicographicallyPrecedes(a.utf8) ? .orderedDescending : .orderedSame
        }
        switch random.below(9) {
        case 0: return (.ascending(\.group), order(\.group))
        case 1: return (.descending(\.group), { order(\.group)($1, $0) })
        case 2: return (.ascending(\.rank), order(\.rank))
        case 3: return (.descending(\.rank), { order(\.rank)($1, $0) })
        case 4: return (.ascending(\.weight), order(\.weight))
        case 5: return (.descending(\.changed), { order(\.changed)($1, $0) })
        case 6: return (.ascending(\.note), notes)
        case 7: return (.descending(\.note), { notes($1, $0) })
        default: return (.ascending(\.changed), order(\.changed))
        }
    }
}
