/// What opening a store found and repaired (promise P4).
public struct RecoveryReport: Hashable, Sendable {
    /// How the checkpoint was used.
    public enum Checkpoint: Hashable, Sendable {
        /// There was no checkpoint.
        case none
        /// The checkpoint of the state after this event was loaded.
        case loaded(SequenceNumber)
        /// Another connection had the checkpoint locked; it was left as it is, and the log was
        /// replayed instead.
        case busy
        /// The checkpoint could not be used and was quarantined; the log was replayed instead.
        case rebuilt(because: String)
    }

    /// Whether the opening created the store: there was no log, and no trace of one. A plain copy
    /// that lacks all files of the log counts as new, too; see ``Store/Options/createsStore``.
    public internal(set) var isNew = false
    /// Whether the store was closed in order before, or is new.
    public internal(set) var wasClean = true
    /// The last event.
    public internal(set) var sequence: SequenceNumber = .zero
    /// How the checkpoint was used.
    public internal(set) var checkpoint: Checkpoint = .none
    /// How many events were replayed after the checkpoint.
    public internal(set) var replayedEventCount = 0
    /// Bytes that were cut off the end of the log: an incomplete write, or events that were not
    /// durable before a power cut.
    public internal(set) var cutByteCount = 0
    /// Complete events among them, after a gap that a power cut left.
    public internal(set) var cutEventCount = 0
    /// The quarantined files, as paths relative to the store's directory.
    public internal(set) var quarantined: [String] = []

    /// Records that break a unique index, if `Options.existingDuplicates` is `.report`.
    public internal(set) var duplicates: [DuplicateRecords] = []

    /// References that lead to no record, if `Options.existingBrokenReferences` is `.report`.
    public internal(set) var brokenReferences: [RecordReference] = []

    /// Records that cannot be read as the types of their entities, among up to 32 of each entity,
    /// which opening reads. `Store.unreadableRecords()` reads all.
    public internal(set) var unreadable: [UnreadableRecord] = []

    /// The steps that reads apply, by entity, in order: from the version of the oldest record to
    /// that of the type. Of an entity that has lost all its records, from the newest version.
    public internal(set) var evolution = NamedValues<[EvolutionStep]>()
    /// The differences for which no step is declared: likely renames, and those for which opening
    /// would refuse the store, if `Options.onSchemaChange` is `.report`.
    public internal(set) var schemaDifferences: [SchemaDifference] = []
    /// The copy of the store that is made before the first write of a newer shape, relative to the
    /// store's directory; nil if there is no need for one.
    public internal(set) var backup: String?

    /// The records whose ids got another type, with their old and new ids.
    public internal(set) var changedIDs: [ChangedID] = []
    /// The store that could not be opened and was set aside, of which this one is the successor.
    public internal(set) var setAside: SetAsideStore?

    /// The last event that the local copy of a log on a server had in common with it, if the server
    /// has another history: it was restored from a backup, or a failover has taken events back. The
    /// copy was set aside. Found by this opening, or by an earlier one that failed afterwards.
    public internal(set) var historyReplacedAfter: SequenceNumber?

    /// Whether the opening has finished an erasure by `destroy` or `nuke` that was interrupted.
    public internal(set) var hasFinishedErasure = false

    /// Whether nothing was cut off and nothing was quarantined.
    public var isComplete: Bool { cutByteCount == 0 && quarantined.isEmpty }
}
