/// A read model that is folded from the events of a store and kept beside its tables: totals,
/// timelines, counters.
///
///     struct Sales: Projection {
///         var cents: [Customer.ID: Int] = [:]
///
///         mutating func apply(_ event: AppliedEvent) throws {
///             for change in try event.changes(of: Order.self) {
///                 if let old = try change.before { cents[old.customer, default: 0] -= old.cents }
///                 if let new = try change.after { cents[new.customer, default: 0] += new.cents }
///             }
///         }
///     }
///
///     options.projections = [Sales.self]
///     let sales = try store.projection(Sales.self)
///
/// The value is one of the state after one event: a snapshot has its records and its projections
/// of the same event. Checkpoints keep it, so that opening a store folds the newest events only.
///
/// Projections are values: a class is refused. The events are the only input of `apply`, which must
/// give the same result whenever it gets the same events: it reads no clock, no random number and
/// no other store, and it has no effects, as the same event may be applied more than once, to two
/// copies of the value. Effects belong into a subscription.
public protocol Projection: Codable, Sendable {
    /// The name under which checkpoints keep it. Default: the name of the type.
    static var projectionName: String { get }

    /// The version of its code. Raise it when `apply` gives another result than before, or when the
    /// properties change: the projection is then built anew from the log, beside the store.
    /// Default: 1.
    static var projectionVersion: Int { get }

    /// The value before the first event.
    init()

    /// The value after the events that the store no longer keeps, from the state that it has kept
    /// of them: see ``Store/Options/retention``. Default: throws `StoreError` with `.belowFloor`.
    ///
    /// - Parameter floor: the state before the first event that the log holds.
    init(floor: Snapshot) throws

    /// Adds an event. It runs as the last part of the write: on the writer's thread, after the
    /// event was appended and before it is visible to readers. Events that the value lacks are
    /// added when the store is opened, or by a thread beside it.
    ///
    /// If it throws, the projection stops before this event, with an error that is reported to
    /// ``Store/Options/onError``. The write, and the other projections, are not affected.
    mutating func apply(_ event: AppliedEvent) throws
}

extension Projection {
    /// The name of the type, without its module.
    public static var projectionName: String { String(describing: Self.self) }

    /// The first version.
    public static var projectionVersion: Int { 1 }

    /// Throws `StoreError` with `.belowFloor`: the type does not say what pruned events have led
    /// to.
    public init(floor: Snapshot) throws {
        throw StoreError(
            .belowFloor,
            "\(Self.self) needs the events through \(floor.sequence), which are no longer kept. "
                + "Give it an init(floor:), which makes its value from the state after that event",
            at: StoreError.Place(sequences: floor.sequence...floor.sequence))
    }
}

/// How far a projection is.
public enum ProjectionState<P: Projection>: Sendable {
    /// The value after the event of the snapshot.
    case current(P)
    /// It has stopped with an error. The last value is that after the event before the failure; nil
    /// if there was none.
    case failed(ProjectionFailure, last: P?)
    /// It is being built from the log: it is new, has another version, or its last value was lost.
    case pending
}

extension ProjectionState: Equatable where P: Equatable {}
extension ProjectionState: Hashable where P: Hashable {}
