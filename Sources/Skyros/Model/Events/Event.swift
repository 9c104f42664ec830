/// A command batch that was appended to the log. It never changes.
public struct Event: Hashable, Sendable {
    /// The event's place in the log.
    public let sequence: SequenceNumber
    /// When it was appended.
    public let time: EventTime
    /// Actor, reason, and correlation.
    public let metadata: Metadata
    /// The domain command, if the write block had one.
    public let intent: Intent?
    /// The idempotency key, if the write had one: see `Store.write(once:)`.
    public let key: String?
    /// One change for each changed record, in the order in which the block first changed them.
    public let changes: [Change]
    /// What a later version has added to the event: keys that begin with `+`. They are kept and
    /// shown, and change no record.
    public let additions: Fields
    /// The same of changes, by their indexes.
    package let changeAdditions: [Int: Fields]
    /// The versions of the shapes of the changes' records; empty if all are the first.
    package let versions: [Int]
    /// The versions that records had before updates to another, by the indexes of the changes.
    package let formerVersions: [Int: Int]
    /// What the event records of the shapes of entities, by their names; empty for most events.
    public let schemas: NamedValues<EntitySchema>

    /// What a later version has added to the change at `index`: keys that begin with `+`.
    public func additions(toChange index: Int) -> Fields { changeAdditions[index] ?? .none }

    package init(
        sequence: SequenceNumber, time: EventTime, metadata: Metadata, intent: Intent?,
        key: String? = nil, changes: [Change], additions: Fields = .none,
        changeAdditions: [Int: Fields] = [:],
        versions: [Int] = [], formerVersions: [Int: Int] = [:],
        schemas: NamedValues<EntitySchema> = NamedValues()
    ) {
        self.sequence = sequence
        self.time = time
        self.metadata = metadata
        self.intent = intent
        self.key = key
        self.changes = changes
        self.additions = additions
        self.changeAdditions = changeAdditions
        self.versions = versions
        self.formerVersions = formerVersions
        self.schemas = schemas
    }

    /// The version of the shape of the record in the change at `index`: the one that the change
    /// writes, or of a deletion the one that it deletes.
    public func version(ofChange index: Int) -> Int {
        versions.isEmpty ? Evolver.firstVersion : versions[index]
    }

    /// The event without the changes of other entities, and without intent and key.
    func part(changing entity: String) -> Event {
        let places = changes.indices.filter { changes[$0].entity.isSameName(as: entity) }
        var formers: [Int: Int] = [:]
        for (index, place) in places.enumerated() { formers[index] = formerVersions[place] }
        return Event(
            sequence: sequence, time: time, metadata: metadata, intent: nil,
            changes: places.map { changes[$0] },
            versions: versions.isEmpty ? [] : places.map { versions[$0] }, formerVersions: formers)
    }

    /// The changes with the versions of their records.
    var versionedChanges: some Collection<VersionedChange> {
        changes.indices.lazy.map { versionedChange(at: $0) }
    }

    func versionedChange(at index: Int) -> VersionedChange {
        VersionedChange(
            changes[index], version: version(ofChange: index),
            formerVersion: formerVersions[index])
    }
}
