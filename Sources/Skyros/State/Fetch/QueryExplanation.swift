/// How a request finds its records.
///
///     print(try store.explain(FetchRequest<Order>(where: \.isOpen || .in(\.status, [.paid]))))
///     // index on isOpen: 1 range; index on status: 1 range; sorts
public struct QueryExplanation: Hashable, Sendable {
    /// A way to find records.
    public enum Access: Hashable, Sendable {
        /// All records of the entity are read.
        case scan
        /// All records are read, in the order of the index over these fields.
        case wholeIndex(fields: [String])
        /// Ranges of the index over these fields are read.
        case index(fields: [String], rangeCount: Int)
        /// Records are looked up by their ids.
        case ids(count: Int)
    }

    /// The records that are read: those of all parts, each once. Empty if no record can pass.
    public let accesses: [Access]
    /// Whether the filter tests each record that is read; otherwise all of them pass.
    public let testsRecords: Bool
    /// Whether the records that pass are sorted; otherwise they are read in the requested order.
    public let sortsRecords: Bool

    /// Whether all records of the entity are read and tested.
    public var isScan: Bool { accesses == [.scan] && testsRecords }
}

extension QueryExplanation: CustomStringConvertible {
    /// The parts in words.
    public var description: String {
        let parts = accesses.map(\.description).joined(separator: "; ")
        return (parts.isEmpty ? "nothing" : parts) + (testsRecords ? "; tests each record" : "")
            + (sortsRecords ? "; sorts" : "")
    }
}

extension QueryExplanation.Access: CustomStringConvertible {
    /// The access in words.
    public var description: String {
        switch self {
        case .scan: "scan of all records"
        case .wholeIndex(let fields): "whole index on \(fields.joined(separator: ", "))"
        case .index(let fields, let count):
            "index on \(fields.joined(separator: ", ")): \(count) range\(count == 1 ? "" : "s")"
        case .ids(let count): "\(count) id\(count == 1 ? "" : "s")"
        }
    }
}

extension Table {
    /// A plan in words.
    func explain(_ plan: QueryPlan, isSortedByID: Bool) -> QueryExplanation {
        func fields(_ index: Int) -> [String] { indexes[index].definition.fields }
        var accesses: [QueryExplanation.Access] = []
        switch plan.access {
        case .scan: accesses = [.scan]
        case .range(let range):
            let isWhole = range.lower == nil && range.upper == nil
            accesses = [
                isWhole
                    ? .wholeIndex(fields: fields(range.index))
                    : .index(fields: fields(range.index), rangeCount: 1)
            ]
        case .union(let union):
            for index in Set(union.ranges.map(\.index)).sorted() {
                let count = union.ranges.count { $0.index == index }
                accesses.append(.index(fields: fields(index), rangeCount: count))
            }
            if !union.ids.isEmpty { accesses.append(.ids(count: union.ids.count)) }
        }
        return QueryExplanation(
            accesses: accesses, testsRecords: !plan.isExact,
            sortsRecords: isSortedByID || !plan.isSorted)
    }
}

extension RecordSource where Self: ~Copyable {
    /// How a request finds its records, without reading any.
    ///
    ///     let explanation = try store.explain(FetchRequest<Order>(where: .in(\.status, [.paid])))
    ///     #expect(explanation.accesses == [.index(fields: ["status"], rangeCount: 1)])
    ///
    /// The answer depends on the records: see ``Index`` for those that keep an index from being
    /// used.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`.
    public func explain<E: Entity>(_ request: FetchRequest<E>) throws -> QueryExplanation {
        let snapshot = try state(of: E.self).snapshot
        guard let index = try snapshot.tableIndex(of: E.self) else {
            return QueryExplanation(accesses: [], testsRecords: false, sortsRecords: false)
        }
        let request = request.resolved
        let table = snapshot.tables[index]
        return table.explain(table.plan(request), isSortedByID: request.sort.isEmpty)
    }
}
