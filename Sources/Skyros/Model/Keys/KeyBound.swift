/// How far back a table of keys reaches: it has the keys of all events after this one.
///
/// The time is that of the event, or a later one that is before the next event's.
struct KeyBound: Hashable, Sendable {
    var sequence: SequenceNumber
    var time: EventTime

    /// That of a table which has never dropped a key.
    static let none = KeyBound(sequence: .zero, time: EventTime(microseconds: .min))

    /// Whether the keys of all events since `time` are there.
    func reaches(_ time: EventTime) -> Bool { sequence == .zero || self.time < time }
}
