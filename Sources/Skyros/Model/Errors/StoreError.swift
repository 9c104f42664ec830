/// An error of a store: what happened, where, and what to do.
///
/// Errors are equal if their codes are, so that a test can compare and a `catch` can match:
///
///     do {
///         try store.write { tx in try tx.insert(order) }
///     } catch let error as StoreError where error.code == .diskFull {
///         …
///     }
public struct StoreError: Error, Sendable {
    /// What kind of error it is; see `Code`.
    public let code: Code
    /// What happened, and what can be done about it.
    public let message: String
    /// The place, as far as there is one.
    public let place: Place
    /// The underlying error, in words.
    public let cause: String?
    /// The records that a merge found changed on both sides: see `.mergeConflict`.
    public let conflicts: [MergeConflict]
    /// The records that stop an undo: see `.conflict`.
    public let undoConflicts: [UndoConflict]

    /// Where something went wrong.
    public struct Place: Hashable, Sendable {
        /// The file, relative to the store's directory.
        public var file: String?
        /// Bytes from the start of that file.
        public var offset: Int?
        /// The events concerned.
        public var sequences: ClosedRange<SequenceNumber>?
        /// The entity concerned.
        public var entity: String?
        /// The records concerned.
        public var ids: [RecordID]
        /// The field concerned, as a path in the record: `address.city`, `lines[2].price`.
        public var field: String?
        /// The references concerned.
        public var references: [RecordReference]

        /// A place with these parts.
        public init(
            file: String? = nil, offset: Int? = nil,
            sequences: ClosedRange<SequenceNumber>? = nil, entity: String? = nil,
            ids: [RecordID] = [], field: String? = nil, references: [RecordReference] = []
        ) {
            self.file = file
            self.offset = offset
            self.sequences = sequences
            self.entity = entity
            self.ids = ids
            self.field = field
            self.references = references
        }
    }

    /// An error of this kind.
    public init(
        _ code: Code, _ message: String, at place: Place = Place(), cause: String? = nil,
        conflicts: [MergeConflict] = [], undoConflicts: [UndoConflict] = []
    ) {
        self.code = code
        self.message = message
        self.place = place
        self.cause = cause
        self.conflicts = conflicts
        self.undoConflicts = undoConflicts
    }
}

extension StoreError {
    /// Runs `body`, and wraps what it throws in an error of this kind.
    @inline(__always)
    static func wrapping<R>(
        _ code: Code, _ message: @autoclosure () -> String,
        at place: @autoclosure () -> Place = Place(), _ body: () throws -> R
    ) throws(StoreError) -> R {
        do {
            return try body()
        } catch {
            throw StoreError(code, message(), at: place(), cause: String(describing: error))
        }
    }
}

extension StoreError: Hashable {
    /// Whether the codes are equal; message, place and cause are ignored.
    public static func == (a: StoreError, b: StoreError) -> Bool {
        a.code == b.code
    }

    /// Mixes in only the code, which is what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }
}

extension StoreError: CustomStringConvertible {
    /// Code, message, place and cause in one line, without repetitions.
    public var description: String {
        var text = "\(code): \(message)"
        if let file = place.file, place.offset != nil || !message.contains(file) {
            text += " [\(file)"
            if let offset = place.offset { text += " at byte \(offset)" }
            text += "]"
        }
        if let sequences = place.sequences {
            text +=
                sequences.lowerBound == sequences.upperBound
                ? " [event \(sequences.lowerBound)]"
                : " [events \(sequences.lowerBound) to \(sequences.upperBound)]"
        }
        if let cause, !message.contains(cause) { text += " (\(cause))" }
        return text
    }
}
