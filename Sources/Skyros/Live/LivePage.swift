/// The result of a live query, which events change instead of running the query again.
///
/// It holds the first records of the request's order, a few more than are shown. An event changes
/// it by the ids that it touched: each is looked up, tested and put in its place. What is deleted
/// is refilled from the records in reserve, then from the index that has the order; only without
/// such an index the query runs again, at most once in `reserve` deletions.
///
/// A value, used by one reader. It runs user code: filters, comparisons and `init(from:)`.
struct LivePage<E: Entity>: Sendable {
    let request: FetchRequest<E>
    let kinds: ChangeKinds
    let hub: LiveHub
    let inbox = LiveInbox()
    /// The event whose state the page has; zero before the first.
    private(set) var sequence = SequenceNumber.zero
    private(set) var records: LiveRecords<E>
    private var hasBegun = false
    /// How often the query was run, and how often an index has refilled the page: for tests.
    private(set) var runCount = 0
    private(set) var refillCount = 0

    init(_ request: FetchRequest<E>, on kinds: ChangeKinds, _ hub: LiveHub) {
        self.request = request.resolved
        self.kinds = kinds
        self.hub = hub
        records = LiveRecords(self.request)
    }

    /// Brings the page to `state`, whose events must all be noted by the hub, or to a later one.
    ///
    /// - Returns: the records, if this is the first call, or if changes of a wanted kind may have
    ///   changed them; nil otherwise. The kinds of changes that a run has seen before they were
    ///   noted are not known.
    /// - Throws: `StoreError` with `.notDecodable`, `.filterFailed`, `.unknownEntity`.
    mutating func advance(to state: Snapshot) throws(StoreError) -> [E]? {
        guard hasBegun else {
            try begin()
            return records.values
        }
        let news = inbox.take(through: state.sequence)
        guard !news.needsRun else {
            let before = records.shownRows
            let values = try runAgain(after: news, of: state.sequence)
            return before.elementsEqual(records.shownRows) { $0 === $1 } ? nil : values
        }
        let first = sequence
        let touched = news.touched.filter { $0.sequence > first }
        sequence = max(sequence, state.sequence)
        guard !touched.isEmpty else { return nil }
        do {
            let table = state.tables[try tableIndex(in: state)]
            guard try apply(touched, table) else { return nil }
            return records.values
        } catch {
            // A record that cannot be tested may be one that the query need not read.
            return try runAgain(after: news, of: state.sequence)
        }
    }

    private func tableIndex(in state: Snapshot) throws -> Int {
        guard let index = try state.tableIndex(of: E.self) else {
            throw StoreError.unknownEntity(E.entityName, adding: "\(E.self).self")
        }
        return index
    }

    // MARK: Events

    /// Applies changes; returns whether they have changed the records in a wanted way.
    private mutating func apply(_ touched: [LiveInbox.Touched], _ table: Table) throws -> Bool {
        var isChanged = false
        for (id, kinds) in Self.kinds(of: touched) {
            let affects = try records.apply(id, table.row(id))
            if affects, !kinds.isDisjoint(with: self.kinds) { isChanged = true }
        }
        if records.needsRefill {
            // Only a deletion, or a record that left the page, makes room.
            let plan = table.plan(request)
            if plan.range != nil, plan.isSorted {
                refillCount += 1
                try records.refill(from: table, plan)
            } else {
                try run(on: table, plan)
            }
        }
        return isChanged
    }

    /// Each id once, in the order in which they were first touched.
    private static func kinds(
        of touched: [LiveInbox.Touched]
    ) -> [(id: RecordID, kinds: ChangeKinds)] {
        if touched.count == 1 { return [(touched[0].id, touched[0].kinds)] }
        var list: [(id: RecordID, kinds: ChangeKinds)] = []
        var positions: [RecordID: Int] = [:]
        for change in touched {
            if let position = positions[change.id] {
                list[position].kinds.formUnion(change.kinds)
            } else {
                positions[change.id] = list.count
                list.append((change.id, change.kinds))
            }
        }
        return list
    }

    // MARK: The whole query

    private mutating func begin() throws(StoreError) {
        try Self.wrapping {
            // Registered first: no event after the state that is read next is missed.
            hub.register(inbox)
            do {
                if let failure = inbox.signal.failure { throw failure }
                try runOnNewestState()
            } catch {
                hub.remove(inbox)
                throw error
            }
            hasBegun = true
        }
    }

    /// - Parameter last: the last event of the news.
    private mutating func runAgain(
        after news: LiveInbox.News, of last: SequenceNumber
    ) throws(StoreError) -> [E]? {
        try Self.wrapping { try runOnNewestState() }
        // The page has later events already; their kinds are not known, and will not be asked.
        if sequence > last { return records.values }
        let kinds = news.touched.reduce(news.otherKinds) { $0.union($1.kinds) }
        return kinds.isDisjoint(with: self.kinds) ? nil : records.values
    }

    private mutating func runOnNewestState() throws {
        let layout = hub.layout
        let state = hub.view.current
        let index = try tableIndex(in: state)
        let plan = state.tables[index].plan(request)
        try run(on: state.tables[index], plan)
        sequence = state.sequence
        let range = KeyRange(plan, of: state.tables[index])
        hub.place(inbox, inTableAt: index, range, in: layout)
    }

    private mutating func run(on table: Table, _ plan: QueryPlan) throws {
        runCount += 1
        try records.fill(from: table, plan)
    }

    private static func wrapping<R>(_ body: () throws -> R) throws(StoreError) -> R {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError.filterFailed(of: E.self, error)
        }
    }
}

extension StoreError {
    /// The error of a filter or a predicate that threw.
    static func filterFailed<E: Entity>(of type: E.Type, _ error: any Error) -> StoreError {
        StoreError(
            .filterFailed,
            "the filter of a live query of \(E.entityName) threw: \(error). Let it return false "
                + "for records that it cannot test", at: Place(entity: E.entityName),
            cause: String(describing: error))
    }
}
