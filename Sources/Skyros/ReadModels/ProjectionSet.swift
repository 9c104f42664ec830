import SkyrosDisk
import SkyrosLog

/// The projections of a store: folds each event into their values.
///
/// - Note: `@unchecked` because it is used under the writer lock only, but for the statistics.
final class ProjectionSet: @unchecked Sendable {
    private let cells: [any AnyProjectionCell]
    private let clock: any WallClock
    /// Threads that run code of projections, and may not write.
    private let threads: ConcurrentThreads
    private let report: @Sendable (any Error) -> Void
    private var revision: SequenceNumber = .zero

    /// Nil if there are no types.
    init?(
        _ types: [any Projection.Type], _ clock: any WallClock, _ threads: ConcurrentThreads,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        guard !types.isEmpty else { return nil }
        cells = types.map { Self.cell($0) }
        self.clock = clock
        self.threads = threads
        self.report = report
    }

    private static func cell<P: Projection>(_ type: P.Type) -> any AnyProjectionCell {
        ProjectionCell<P>()
    }

    /// Throws `StoreError` with `.invalidSchema` if a store cannot have these types.
    static func check(_ types: [any Projection.Type]) throws {
        var names: [(name: String, type: any Projection.Type)] = []
        for type in types {
            let name = type.projectionName
            guard !(type is AnyClass) else {
                throw StoreError(
                    .invalidSchema,
                    "the projection \(type) is a class, whose values would change in snapshots "
                        + "that have them already; make it a struct")
            }
            guard !name.isEmpty else {
                throw StoreError(
                    .invalidSchema, "the projection name of \(type) is empty; return another")
            }
            if let other = names.first(where: { $0.name.isSameName(as: name) }) {
                throw StoreError(
                    .invalidSchema,
                    "\(other.type) and \(type) both have the projection name \"\(name)\"; give one "
                        + "of them a `static let projectionName`")
            }
            names.append((name, type))
        }
    }

    /// Runs code of projections on a thread that does not hold the writer lock: the store refuses
    /// its writes.
    func running<R>(_ body: () throws -> R) rethrows -> R { try threads.run(body) }

    /// What each projection has cost.
    var statistics: [ProjectionStatistics] { cells.map(\.statistics) }

    /// Begins with what a checkpoint has kept, for a state after an event.
    func begin(_ stored: [StoredProjection], at sequence: SequenceNumber) {
        for cell in cells {
            cell.begin(stored.first { $0.name.isSameName(as: cell.name) }, at: sequence)
        }
    }

    /// Begins with the values of an earlier snapshot, for a state after an event.
    func begin(_ former: Snapshot, at sequence: SequenceNumber) {
        for (cell, entry) in zip(cells, former.projections?.entries ?? []) {
            cell.begin(entry, of: former.sequence, at: sequence)
        }
    }

    /// Begins with the values before the first event of a new log.
    func reset() { for cell in cells { cell.reset() } }

    /// Forgets the value of a projection, so that it is built from the log.
    func rebuild(_ name: String) {
        for cell in cells where cell.name.isSameName(as: name) { cell.rebuild() }
    }

    /// Adds the next event to all values that have the one before it.
    func apply(_ event: AppliedEvent) {
        var start = clock.nowMicroseconds()
        for cell in cells where cell.isCurrent {
            if let error = cell.apply(event) { report(error) }
            let end = clock.nowMicroseconds()
            cell.cost.withLock { cost in
                cost.eventCount += 1
                // The clock may be set.
                cost.microseconds += max(0, end - start)
            }
            start = end
        }
    }

    /// The values for a snapshot.
    func values() -> ProjectionValues {
        revision = revision.next
        return ProjectionValues(cells.map(\.entry), revision: revision)
    }

    /// The values after an event that is older than those of the cells, for a floor: from those of
    /// the floor before, or from the first event. Runs code of projections; needs no lock.
    ///
    /// - Complexity: O(events that the log keeps up to it).
    func values(
        through last: SequenceNumber, _ reader: HistoryReader, from current: () -> Snapshot,
        while isWanted: () -> Bool
    ) throws -> [StoredProjection] {
        try running {
            let rebuild = ProjectionRebuild(cells.map { $0.makeNewBuilder() }, reader)
            guard try rebuild.advance(through: last, from: current, while: isWanted),
                try rebuild.buildLastValues(from: current, while: isWanted)
            else { throw StoreError.closed }
            return try rebuild.builders.compactMap { try $0.stored() }
        }
    }

    /// What builds the values that are pending.
    func builders() -> [any AnyProjectionBuilder] { cells.compactMap { $0.makeBuilder() } }

    /// Takes over the values that were built.
    func finish(_ builders: [any AnyProjectionBuilder]) {
        for builder in builders {
            // Each cell takes over that of its type.
            for cell in cells {
                if let error = cell.finish(builder) { report(error) }
            }
        }
    }

    /// What a checkpoint keeps of the values of a snapshot. Those that cannot be encoded are
    /// reported and left out.
    func stored(_ snapshot: Snapshot) -> [StoredProjection] {
        guard let values = snapshot.projections else { return [] }
        return zip(cells, values.entries).compactMap { cell, entry in
            do {
                let stored = try running { try entry.stored(at: snapshot.sequence) }
                let byteCount = stored.value?.count
                cell.cost.withLock { $0.storedByteCount = byteCount ?? $0.storedByteCount }
                return stored
            } catch {
                report(error)
                return nil
            }
        }
    }
}

/// What a projection has cost since the store was opened.
public struct ProjectionStatistics: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// The version of its code.
    public let version: Int
    /// The number of events that write blocks have added to it.
    public let eventCount: Int
    /// How long these took in `apply`, which makes the writes longer.
    public let duration: Duration
    /// The size of its last value in a checkpoint, in bytes; nil if none was written yet.
    public let storedByteCount: Int?
}
