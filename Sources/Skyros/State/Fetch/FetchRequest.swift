public import Foundation

/// Which records of an entity, in which order, and how many of them.
///
///     var request = FetchRequest<Order>(where: \.status == .placed)
///     request.sort = [.descending(\.createdAt)]
///     request.limit = 20
///     let newest = try store.snapshot.fetch(request)
///
/// Without a sort, records are in the entity's ``Entity/defaultOrder``, and without that in the
/// order of their ids, see ``RecordID``.
public struct FetchRequest<E: Entity>: Sendable {
    /// The condition that records must pass; nil for all records.
    public var filter: Filter<E>?
    /// The order; empty for the entity's default order. ``Sort/byID`` asks for the order of the
    /// ids.
    public var sort: [Sort<E>]
    /// How many records to skip; a negative number counts as 0.
    public var offset: Int
    /// The maximum number of records: nil for all, 0 and less for none.
    public var limit: Int?

    /// A request by a filter of key paths.
    public init(
        where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = [], offset: Int = 0,
        limit: Int? = nil
    ) {
        self.filter = filter
        self.sort = sort
        self.offset = offset
        self.limit = limit
    }

    /// A request by Foundation's predicate and sort descriptors.
    public init(
        predicate: Predicate<E>?, sortBy: [SortDescriptor<E>] = [], offset: Int = 0,
        limit: Int? = nil
    ) {
        self.init(
            where: predicate.map { Filter($0) }, sortedBy: sortBy.map { Sort($0) },
            offset: offset, limit: limit)
    }
}

extension FetchRequest {
    /// The request with the order that its sort means: without one, the entity's default order.
    /// An empty sort is then the order of the ids. To be called once.
    var resolved: FetchRequest {
        var request = self
        if sort.isEmpty { request.sort = E.defaultOrder }
        return request.withoutKeysFromID
    }

    /// The request whose sort ends before the order of the ids: no two records have the same id.
    var withoutKeysFromID: FetchRequest {
        var request = self
        request.sort = Array(sort.prefix { !$0.isByID })
        return request
    }

    var skipCount: Int { max(0, offset) }

    var countMax: Int { max(0, limit ?? .max) }

    /// The number of records up to the last one that is returned; `Int.max` without a limit.
    var endCount: Int {
        let (end, isTooLarge) = skipCount.addingReportingOverflow(countMax)
        return isTooLarge ? .max : end
    }

    /// Whether one record comes before another.
    func precedes(_ a: (value: E, id: RecordID), _ b: (value: E, id: RecordID)) -> Bool {
        for key in sort {
            switch key.compare(a.value, b.value) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: continue
            }
        }
        return a.id < b.id
    }
}
