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
        /// The clock is further ahead of the newest event than `Options.clockJumpMax`.
        public static let clockAhead = Code("clockAhead")
        /// The clock is before the newest event: a warning, passed to `Options.onError` once.
        public static let clockBehind = Code("clockBehind")
        /// The store was suspended by `suspend()`; `resume()` makes it writable again.
        public static let suspended = Code("suspended")
        /// The log does not continue the history that the suspended store, or a backup, has seen.
        public static let historyChanged = Code("historyChanged")
        /// The store was closed.
        public static let closed = Code("closed")
        /// Something is larger than the limit set for it.
        public static let limitExceeded = Code("limitExceeded")
        /// The log was not at the sequence that the writer expected: another writer has ignored
        /// the lock.
        public static let conflict = Code("conflict")

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

        // MARK: Reading

        /// A record does not fit the type as which it is read.
        public static let notDecodable = Code("notDecodable")
        /// A step of an evolution could not bring a record to a newer shape.
        public static let evolutionFailed = Code("evolutionFailed")
        /// An event cannot be understood.
        public static let invalidEvent = Code("invalidEvent")
        /// There is no such event.
        public static let noSuchEvent = Code("noSuchEvent")
        /// The text is no valid query, id, moment or the like.
        public static let invalidInput = Code("invalidInput")
    }
}

extension StoreError.Code: CustomStringConvertible {
    /// The code's name.
    public var description: String { name }
}
