/// What a write was decided on: if that has changed since, the write is refused.
///
/// An app reads, shows or computes something, and writes later. In between others write, too. The
/// condition says what must still hold when the write runs:
///
///     let seen = store.snapshot
///     let seats = FetchRequest<Seat>(where: \.course == course.id)
///     guard try seen.count(seats) < course.capacity else { … }
///     try store.write(expecting: .unchanged(seats, since: seen)) { tx in … }
///
/// Several conditions are an array, and all must hold. A condition that does not is a `StoreError`
/// with `.conflict`, which names what has changed: the block has not run, and nothing was written.
///
/// Conditions compare answers, not writes: a record that was changed and changed back is unchanged.
/// Those on events count events.
///
/// What was seen is named by a snapshot, or by its sequence, which can be sent to another process.
/// `nuke` begins the sequences anew: only a snapshot shows that the history is another one.
///
/// - Complexity: of a check, O(1) if nothing was written since; otherwise O(ids × log n), and for a
///   request the records of its entity that have changed. With a sequence in place of a snapshot,
///   a record costs O(changes since) for up to 512 changes of this process. Otherwise that state is
///   made first, of one record as by `Store.get(_:_:asOf:)`, for a request as by
///   `Store.snapshot(asOf:)`; other writers do not wait for it. Of events,
///   O(log n) in each run of the history, and the events that were written since the last one.
public struct WriteCondition: Sendable, ExpressibleByArrayLiteral {
    enum Part: Sendable {
        /// The store's last event.
        case last(SequenceNumber)
        case unchanged(any ExpectedAnswer, since: Base)
        /// There is no such event after another.
        case noEvent(EventPattern, since: SequenceNumber)
    }

    /// The state on which a write was decided.
    enum Base: Sendable {
        case sequence(SequenceNumber)
        case state(Snapshot)
    }

    let parts: [Part]

    private init(_ part: Part) { parts = [part] }

    private init(_ parts: [Part]) { self.parts = parts }

    /// The same condition with states in place of sequences.
    ///
    /// - Parameter state: the state of a sequence, as far as an answer needs it; nil if there is
    ///   none yet.
    func mapStates(
        _ state: (any ExpectedAnswer, SequenceNumber) -> Snapshot?
    ) -> WriteCondition {
        WriteCondition(
            parts.map { part in
                guard case .unchanged(let answer, .sequence(let sequence)) = part,
                    let made = state(answer, sequence)
                else { return part }
                return .unchanged(answer, since: .state(made))
            })
    }

    /// Conditions that must all hold.
    public init(arrayLiteral conditions: WriteCondition...) {
        parts = conditions.flatMap(\.parts)
    }

    /// The store's last event is this one: nothing at all was written since.
    public static func sequence(_ sequence: SequenceNumber) -> WriteCondition {
        WriteCondition(.last(sequence))
    }

    /// A record is as it was: the same, or still missing.
    ///
    ///     try store.write(expecting: .unchanged(Account.self, id: 7, since: seen)) { tx in … }
    public static func unchanged<E: Entity>(
        _ type: E.Type, id: E.ID, since state: Snapshot
    ) -> WriteCondition where E.ID: Sendable {
        WriteCondition(.unchanged(ExpectedRecord<E>(id: id), since: .state(state)))
    }

    /// A record is as it was after an event: the same, or still missing.
    public static func unchanged<E: Entity>(
        _ type: E.Type, id: E.ID, since sequence: SequenceNumber
    ) -> WriteCondition where E.ID: Sendable {
        WriteCondition(.unchanged(ExpectedRecord<E>(id: id), since: .sequence(sequence)))
    }

    /// A record is as it was, without its Swift type.
    public static func unchanged(
        _ entity: String, id: RecordID, since state: Snapshot
    ) -> WriteCondition {
        WriteCondition(
            .unchanged(ExpectedUntypedRecord(entity: entity, id: id), since: .state(state)))
    }

    /// A record is as it was after an event, without its Swift type.
    public static func unchanged(
        _ entity: String, id: RecordID, since sequence: SequenceNumber
    ) -> WriteCondition {
        WriteCondition(
            .unchanged(ExpectedUntypedRecord(entity: entity, id: id), since: .sequence(sequence)))
    }

    /// A fetch gives the same records, in the same order.
    public static func unchanged<E: Entity>(
        _ request: FetchRequest<E>, since state: Snapshot
    ) -> WriteCondition {
        WriteCondition(.unchanged(ExpectedFetch(request: request), since: .state(state)))
    }

    /// A fetch gives the same records as after an event, in the same order.
    public static func unchanged<E: Entity>(
        _ request: FetchRequest<E>, since sequence: SequenceNumber
    ) -> WriteCondition {
        WriteCondition(.unchanged(ExpectedFetch(request: request), since: .sequence(sequence)))
    }

    /// No event after another has all of these: tags, each with its value, and an intent's name.
    ///
    ///     .noEvent(tags: ["course": "c1"], since: seen)
    ///     .noEvent(tags: ["student": "s1"], intent: Subscribe.commandName, since: seen)
    ///
    /// Without tags and intent, no event at all.
    public static func noEvent(
        tags: [String: String] = [:], intent: String? = nil, since sequence: SequenceNumber
    ) -> WriteCondition {
        WriteCondition(
            .noEvent(EventPattern(tags: NamedValues(tags), intent: intent), since: sequence))
    }
}

/// What an event must have.
struct EventPattern: Sendable, CustomStringConvertible {
    let tags: NamedValues<String>
    let intent: String?

    var filter: EventFilter {
        var filter = EventFilter(intent: intent)
        tags.forEach { filter.tags[$0.key] = $0.value }
        return filter
    }

    var description: String {
        var parts = tags.map { "the tag \($0.key)=\($0.value)" }
        if let intent { parts.append("the intent \(intent)") }
        return parts.isEmpty ? "any content" : parts.joined(separator: " and ")
    }
}
