public import Dispatch

extension Store {
    /// How a store behaves. Every setting has a default that suits an app.
    public struct Options: Sendable {
        /// The durability of a write that does not ask for another. Default: `.buffered`.
        public var durability: Durability = .buffered

        /// The longest time from a buffered event to the start of its sync. Shorter: less is lost
        /// on power loss. Longer: fewer syncs. In whole milliseconds. Default: 100 ms.
        public var syncInterval: Duration = .milliseconds(100)

        /// The estimated time to fold the events after the checkpoint at which a new one is
        /// written. Loading it comes on top. Shorter: more is written. Default: 250 ms.
        public var openingTarget: Duration = .milliseconds(250)

        /// The queue on which completions and the error handler are called. It must be serial.
        /// Default: a new queue.
        public var callbackQueue = DispatchQueue(label: "skyros.callbacks")

        /// Called with errors that no caller receives: a `StoreError` of a background sync or a
        /// checkpoint, rot that was found in a sealed segment (`.logCorrupt` with the place), and
        /// the error of a block that was queued without a completion.
        /// Default: none; the next write or `close` throws what matters.
        public var onError: (@Sendable (any Error) -> Void)?

        /// Whether to create a store where there is none. If false, opening throws `.notAStore`:
        /// for an app that has just restored a backup. Default: true.
        public var createsStore = true

        /// Whether to open a store with records of entities for which no type was given. The
        /// records are kept, and writes of such entities are held to the unique indexes and
        /// relations that the log records of them. If false, opening throws: a type may have been
        /// renamed.
        /// Default: false.
        public var keepsUnknownEntities = false

        /// Whether to open a store that lost its last writes although the machine was not
        /// restarted, as when a disk was pulled and mounted again. What comes after the first write
        /// that is missing is quarantined, and `recovery` counts it. If false, opening throws
        /// `.logCorrupt`, until the machine was restarted: within one boot only damage does this.
        /// What was synced is never given up by this.
        ///
        /// It also opens a plain copy that ends where a segment does, as that of a store that was
        /// killed in the moment before it had the next one. If the store was being written while it
        /// was copied, the copy lacks that segment, and opening throws `.segmentMissing`. Default:
        /// false.
        public var acceptsLostTail = false

        /// What opening does with records that have the same values in a unique index: they existed
        /// before the index was declared.
        public enum ExistingDuplicates: Hashable, Sendable {
            /// It throws `StoreError` with `.uniqueViolation`, which names them.
            case refuse
            /// It lists them in the recovery report. They may be changed otherwise, but no further
            /// record gets their value.
            case report
        }

        /// What opening does with records that break a unique index of a type, or one that the log
        /// records of an entity without a type. Default: `.refuse`.
        public var existingDuplicates = ExistingDuplicates.refuse

        /// What opening does with records that their type cannot read, though no step of its
        /// evolution says why.
        public enum SchemaChange: Hashable, Sendable {
            /// It throws `StoreError` with `.schemaMismatch`, whose message has the code to add.
            case refuse
            /// It lists the differences in the recovery report. Reading such a record throws.
            case report
            /// It does not look for them.
            case ignore
        }

        /// What opening does with records that their type cannot read. Up to 32 of each entity are
        /// compared. Default: `.refuse`.
        public var onSchemaChange = SchemaChange.refuse

        /// Whether the first write of a newer shape copies the store before: see
        /// ``RecoveryReport/backup``. That write takes as long as the copy. Default: true.
        public var backsUpBeforeEvolution = true

        /// What opening does with references of a ``Relation``, or of one that the log records of
        /// an entity without a type, that lead to no record. Default: `.refuse`.
        public var existingBrokenReferences = ExistingBrokenReferences.refuse

        /// The size at which a segment of the log ends and is compressed, in bytes. Smaller ones
        /// are compressed when the store is closed and after a second without a write, if they
        /// hold more than 64 KiB, and merged. Default: 16 MiB. A negative size is refused at
        /// opening.
        public var segmentBytesMax = 16 << 20

        /// How questions about the past of single records are answered.
        public enum HistoryIndex: Hashable, Sendable {
            /// By files in `history/`, which the store makes in the background: the changes of the
            /// log once more, sorted by record. They may be deleted, and are made again.
            case runs
            /// By reading the log: nothing more is stored, and each question reads all events.
            /// Opening the store removes the files of `.runs`.
            case scan
        }

        /// How questions about the past of single records are answered. Default: `.runs`.
        public var historyIndex = HistoryIndex.runs

        /// Whether every event that changes records must have a reason, as `write(because:)` gives
        /// one; a write without one throws `.reasonRequired`. Default: false, and then
        /// ``Entity/requiresReason`` decides for each entity.
        public var requiresReason = false

        /// The size of the largest event, in bytes; a write block that makes a larger one throws.
        /// Default: 64 MiB; values above 1 GiB count as 1 GiB. A size below 1 is refused at
        /// opening. Events that other nodes have written may be larger.
        public var eventBytesMax = 64 << 20

        /// How far the clock may be ahead of the newest event: a write at a later time throws
        /// `.clockAhead` and appends nothing. Times never go back, so one start with a wrong clock
        /// would move all later events into the future. Set it to `.seconds(.max)` to accept any
        /// time. Stores whose newest event is from before 2020 accept any. Default: 10 years.
        public var clockJumpMax: Duration = .seconds(10 * 31_557_600)

        /// For how long the keys of `write(once:)` are remembered: from the time of their event to
        /// that of the next write with the key. An older key may be used again, and its block runs.
        /// A longer window costs memory, about 200 bytes for each key in it, and rows of the
        /// checkpoint.
        ///
        /// Times are those of events, which never go back: a clock that is behind keeps keys
        /// longer, and a write with a clock that is ahead ends the windows of older keys for good,
        /// as far as ``clockJumpMax`` allows. A store that is opened with a longer window than
        /// before reads the older keys from the log.
        ///
        /// In whole milliseconds; a negative window is refused at opening. Default: 7 days.
        public var idempotencyWindow: Duration = KeyWindow.standard

        /// For how long history is kept. Older history is replaced by a floor, the state as of
        /// then, and questions about it throw. Default: `.forever`.
        ///
        ///     options.retention = .keep(.days(90))
        public var retention = Retention.forever

        /// The read models that the store keeps beside its records, see ``Projection``.
        ///
        ///     options.projections = [Sales.self, OpenOrders.self]
        ///
        /// The opening builds one that is new or has another version, or adds the events that it
        /// lacks. If these are more than 20,000, that is done beside the open store, and needs
        /// memory for a second state. Each write gets longer by what their `apply` takes. A value
        /// needs memory for two copies. Default: none.
        public var projections: [any Projection.Type] = []

        /// Where the positions of subscriptions are kept; nil for files in the store. Default: nil.
        public var subscriptionPositions: (any SubscriptionPositions)?

        /// The pause without a write after which the active segment is sealed, if it holds enough.
        package var idleInterval: Duration = .seconds(1)

        /// The content from which on the active segment is sealed on closing and after a pause.
        package var sealThresholdBytes = 64 << 10

        /// The number of events after which the next checkpoint may keep what a rebuild of
        /// projections has made. Tests set it.
        package var rebuildProgressEvents: UInt64 = 100_000

        /// The part of the time in which the store is open after which sealed segments are read
        /// again; nil for never. Tests set it.
        package var scrubInterval: Duration? = .seconds(60)

        /// Options with all defaults.
        public init() {}
    }
}

extension Store.Options {
    /// Throws `StoreError` with `.invalidInput` if no store can work with a value.
    func check() throws {
        if eventBytesMax < 1 { throw Self.refusal("eventBytesMax", eventBytesMax, atLeast: 1) }
        if segmentBytesMax < 0 {
            throw Self.refusal("segmentBytesMax", segmentBytesMax, atLeast: 0)
        }
        if idempotencyWindow < .zero {
            throw StoreError(
                .invalidInput, "Options.idempotencyWindow is negative; it must be zero or more")
        }
        try retention.check()
        try ProjectionSet.check(projections)
    }

    private static func refusal(_ name: String, _ value: Int, atLeast least: Int) -> StoreError {
        StoreError(
            .invalidInput, "Options.\(name) is \(value); it must be \(least) or more")
    }
}
