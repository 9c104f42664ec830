import TestSupport
import Testing

@testable import Skyros

@Suite struct `A merge of three records` {
    private func record(_ random: inout RandomSource) throws -> [UInt8]? {
        if random.below(6) == 0 { return nil }
        var values = NamedValues<FieldValue>()
        for name in ["a", "b", "c", "dd"] where random.below(3) > 0 {
            values[name] = .integer(Int128(random.below(3)))
        }
        return try Fields(values).bytes
    }

    private func winners(_ sides: ThreeWayMerge.Sides) throws -> (child: [UInt8]?, parent: [UInt8]?)
    {
        switch try ThreeWayMerge.outcome(of: sides) {
        case .parent: (sides.parent, sides.parent)
        case .merged(let record): (record, record)
        case .conflict(let conflict): (conflict.childWins, conflict.parentWins)
        }
    }

    @Test func `has the same result if the sides change places`() throws {
        var random = RandomSource(seed: 1)
        for _ in 0..<20_000 {
            let records = try (0..<3).map { _ in try record(&random) }
            let there = ThreeWayMerge.Sides(
                base: records[0], parent: records[1], child: records[2])
            let back = ThreeWayMerge.Sides(base: records[0], parent: records[2], child: records[1])
            let (a, b) = (try winners(there), try winners(back))
            #expect(a.child == b.parent && a.parent == b.child)
        }
    }

    @Test func `conflicts again after a refresh, in the same fields`() throws {
        var random = RandomSource(seed: 2)
        var count = 0
        for _ in 0..<20_000 {
            let sides = ThreeWayMerge.Sides(
                base: try record(&random), parent: try record(&random), child: try record(&random))
            guard case .conflict(let first) = try ThreeWayMerge.outcome(of: sides) else { continue }
            let later = ThreeWayMerge.Sides(
                base: first.nextBase, parent: sides.parent, child: first.childWins)
            guard case .conflict(let second) = try ThreeWayMerge.outcome(of: later) else {
                Issue.record("no conflict is left: \(sides)")
                continue
            }
            #expect(second.fields == first.fields && second.childWins == first.childWins)
            #expect(second.parentWins == first.parentWins)
            count += 1
        }
        #expect(count > 1_000)
    }
}
