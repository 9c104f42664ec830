extension StoreError {
    /// The kinds of errors. More may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable {
        /// The code's name, stable across versions.
        public let name: String

        private init(_ name: String) {
            self.name = name
        }

        // MARK: Opening

        /// Another process, or this one, holds the store open for writing.
        public static let alreadyOpen = Code("alreadyOpen")
        /// A path of the store is unsafe, such as a symbolic link.
        public static let insecurePath = Code("insecurePath")
        /// There is no store at the path.
        public static let notAStore = Code("notAStore")
        /// A file was written by a newer version.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// A file belongs to another store.
        public static let foreignStore = Code("foreignStore")
        /// Bytes of the log that were durable are damaged.
        public static let logCorrupt = Code("logCorrupt")
        /// A segment of the log is missing.
        public static let segmentMissing = Code("segmentMissing")
        /// Two parts of the store have different histories.
        public static let chainBroken = Code("chainBroken")
        /// The checkpoint holds events that the log lacks: the log has lost something.
        public static let logBehindCheckpoint = Code("logBehindCheckpoint")
        /// The schema is empty, or has an invalid entity, index or field.
        public static let invalidSchema = Code("invalidSchema")
        /// The store was opened without a type for an entity that it holds, or that a call names.
        public static let unknownEntity = Code("unknownEntity")
        /// Records have another shape than their type, and no step leads from one to the other.
        public static let schemaMismatch = Code("schemaMismatch")

        // MARK: Writing

        /// There is a record with this id already.
        public static let duplicateID = Code("duplicateID")
        /// There is no record with this id.
        public static let notFound = Code("notFound")
        /// A unique index would hold a value twice.
        public static let uniqueViolation = Code("uniqueViolation")
        /// A reference leads to no record.
        public static let brokenReference = Code("brokenReference")
        /// A record cannot be deleted: another one refers to it by a relation that denies that.
        public static let deletionDenied = Code("deletionDenied")
        /// The entity declares no relation by this property or field.
        public static let unknownRelation = Code("unknownRelation")
        /// An update changed the id of a record.
        public static let idChanged = Code("idChanged")
        /// A value cannot be encoded as a record.
        public static let notEncodable = Code("notEncodable")
        /// A write inside a write block of the same store.
        public static let nestedWrite = Code("nestedWrite")
        /// A transaction is used outside of its block: it was exchanged with that of another block.
        public static let wrongTransaction = Code("wrongTransaction")
        /// Two threads would wait for each other for ever: each is in a write block of a store in
        /// which the other wants to write.
        public static let writeCycle = Code("writeCycle")
        /// The clock is further ahead of the newest event than `Options.clockJumpMax`, or that of a
        /// node is ahead of its server's.
        public static let clockAhead = Code("clockAhead")
        /// The clock is before the newest event: a warning, passed to `Options.onError` once.
        public static let clockBehind = Code("clockBehind")
        /// The store was suspended by `suspend()`; `resume()` makes it writable again.
        public static let suspended = Code("suspended")
        /// The log does not continue the history that the suspended store, an archive, a backup, or
        /// a node has seen: the store was erased or replaced, its server was restored, or a
        /// failover took events back.
        public static let historyChanged = Code("historyChanged")
        /// The store was closed.
        public static let closed = Code("closed")
        /// The store was erased by `destroy()` or `nuke()`, or is being erased.
        public static let erased = Code("erased")
        /// Something is larger than the limit set for it.
        public static let limitExceeded = Code("limitExceeded")
        /// What a concurrent write block has read was changed before it could commit; or the log
        /// was not at the sequence that the writer expected: another writer has ignored the lock.
        /// Or other events have changed what an undo would take back: see
        /// ``StoreError/undoConflicts``.
        public static let conflict = Code("conflict")
        /// The events that are to be undone changed no records.
        public static let nothingToUndo = Code("nothingToUndo")
        /// An event that changes such records needs a reason, and the write has none.
        public static let reasonRequired = Code("reasonRequired")

        // MARK: Child stores

        /// A child store and its parent have changed the same record, in ways that exclude each
        /// other: see ``StoreError/conflicts``.
        public static let mergeConflict = Code("mergeConflict")
        /// The child store was forked from another parent.
        public static let foreignChild = Code("foreignChild")
        /// The child store was discarded.
        public static let discarded = Code("discarded")
        /// A child store ended with edits that were neither merged nor discarded: reported to
        /// `Options.onError`.
        public static let unmergedEdits = Code("unmergedEdits")

        // MARK: Data stores

        /// A mirrored store cannot switch over: its two stores do not have the same records.
        public static let storesDiffer = Code("storesDiffer")

        // MARK: The disk

        /// The disk is full; nothing was written.
        public static let diskFull = Code("diskFull")
        /// A call to the system failed.
        public static let io = Code("io")
        /// A sync failed: the store takes no more writes until it is opened again.
        public static let durabilityLost = Code("durabilityLost")
        /// The checkpoint could not be written or read; the log is not affected.
        public static let checkpointFailed = Code("checkpointFailed")
        /// Another connection has the checkpoint locked; a later one will be written.
        public static let checkpointBusy = Code("checkpointBusy")
        /// A file of the index of the history cannot be read; the log answers until there is a
        /// new one.
        public static let historyIndexFailed = Code("historyIndexFailed")

        // MARK: Several nodes

        /// A server of the log cannot be reached, or has no quorum; nothing was written.
        public static let serverUnavailable = Code("serverUnavailable")
        /// A server acknowledges what a failure may take away.
        public static let insecureDurability = Code("insecureDurability")
        /// A server was lost while it wrote, and could not be asked since: the event was written,
        /// or was not.
        public static let outcomeUnknown = Code("outcomeUnknown")

        // MARK: Reading

        /// A record does not fit the type as which it is read.
        public static let notDecodable = Code("notDecodable")
        /// The store was opened without this projection, or the state is not one of an open store.
        public static let unknownProjection = Code("unknownProjection")
        /// The projection is being built from the log.
        public static let projectionPending = Code("projectionPending")
        /// The projection has stopped at an event that it could not apply.
        public static let projectionFailed = Code("projectionFailed")
        /// A step of an evolution could not bring a record to a newer shape.
        public static let evolutionFailed = Code("evolutionFailed")
        /// A subscription has no position from which it could go on.
        public static let positionMissing = Code("positionMissing")
        /// A subscription has stopped: its handler has failed as often as its policy allows.
        public static let subscriptionFailed = Code("subscriptionFailed")
        /// The filter of a live query or a stream of changes threw an error.
        public static let filterFailed = Code("filterFailed")
        /// An event cannot be understood.
        public static let invalidEvent = Code("invalidEvent")
        /// There is no such event.
        public static let noSuchEvent = Code("noSuchEvent")
        /// The question is about history that was pruned.
        public static let belowFloor = Code("belowFloor")
        /// The text is no valid query, id, moment or the like.
        public static let invalidInput = Code("invalidInput")
        /// A name that no field of the entity has.
        public static let unknownField = Code("unknownField")
        /// The cursor of a page is one of another request.
        public static let invalidCursor = Code("invalidCursor")
        /// A sum does not fit its type.
        public static let overflow = Code("overflow")
    }
}

extension StoreError.Code: CustomStringConvertible {
    /// The code's name.
    public var description: String { name }
}
