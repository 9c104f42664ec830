/// What a write was decided on: if that has changed since, the write is refused.
///
/// An app reads, shows or computes something, and writes later. In between others write, too. The
/// condition says what must still hold when the write runs:
///
///     let state = store.snapshot
///     let seats = try state.count(Seat.self, where: \.course == course.id)
///     …
///     try store.write(
///         expecting: .unchanged(
///             FetchRequest<Seat>(where: \.course == course.id), since: state.sequence)
///     ) { tx in … }
///
/// Several conditions are an array, and all must hold. A condition that does not is a `StoreError`
/// with `.conflict`, which names what has changed: the block has not run, and nothing was written.
///
/// Conditions compare answers, not writes: a record that was changed and changed back is unchanged.
/// Those on events count events.
///
/// - Complexity: of a check, O(events since the sequence that it names, times log n) in the last
///   50,000 events, and O(events of the log) before; O(1) if there are none.
public struct WriteCondition: Sendable, ExpressibleByArrayLiteral {
    enum Part: Sendable {
        /// The store's last event.
        case last(SequenceNumber)
        /// The answers of reads, which `note` records by the tables of the newest state.
        case answers(
            since: SequenceNumber,
            note: @Sendable (_ past: Snapshot, _ newest: Snapshot, ReadSet) throws -> Void)
        /// There is no such event after another.
        case noEvent(EventPattern, since: SequenceNumber)
    }

    let parts: [Part]

    private init(_ part: Part) { parts = [part] }

    /// Conditions that must all hold.
    public init(arrayLiteral conditions: WriteCondition...) {
        parts = conditions.flatMap(\.parts)
    }

    /// The store's last event is this one: nothing at all was written since.
    public static func sequence(_ sequence: SequenceNumber) -> WriteCondition {
        WriteCondition(.last(sequence))
    }

    /// A record is as it was after an event: the same, or still missing.
    ///
    ///     try store.write(expecting: .unchanged(Account.self, id: 7, since: seen)) { tx in … }
    public static func unchanged<E: Entity>(
        _ type: E.Type, id: E.ID, since sequence: SequenceNumber
    ) -> WriteCondition where E.ID: Sendable {
        WriteCondition(
            .answers(since: sequence) { _, newest, reads in
                let id = try RecordCoding.id(id, of: type)
                // Without a table there was no record, and is none.
                guard let table = try newest.tableIndex(of: type) else { return }
                reads.note(id, inTableAt: table)
            })
    }

    /// A record is as it was after an event, without its Swift type.
    public static func unchanged(
        _ entity: String, id: RecordID, since sequence: SequenceNumber
    ) -> WriteCondition {
        WriteCondition(
            .answers(since: sequence) { _, newest, reads in
                guard let table = try newest.knownIndex(of: entity) else { return }
                reads.note(id, inTableAt: table)
            })
    }

    /// A fetch gives the same records as after an event, in the same order.
    public static func unchanged<E: Entity>(
        _ request: FetchRequest<E>, since sequence: SequenceNumber
    ) -> WriteCondition {
        WriteCondition(
            .answers(since: sequence) { past, newest, reads in
                guard let table = try newest.tableIndex(of: E.self), request.countMax > 0 else {
                    return
                }
                // What comes after a full page does not change it.
                let values = request.limit == nil ? [] : try past.fetch(request)
                reads.note(try RecordedFetch(request, returning: values, inTableAt: table))
            })
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

    func matches(_ event: Event) -> Bool {
        if let intent, event.intent?.name != intent { return false }
        return tags.allSatisfy { event.metadata.tags[$0.key] == $0.value }
    }

    var description: String {
        var parts = tags.map { "the tag \($0.key)=\($0.value)" }
        if let intent { parts.append("the intent \(intent)") }
        return parts.isEmpty ? "any content" : parts.joined(separator: " and ")
    }
}
