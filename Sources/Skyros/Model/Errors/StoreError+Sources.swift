import SkyrosDisk
import SkyrosLog

extension StoreError {
    /// Evaluates `body` and turns an error of a lower layer into one for the user.
    static func wrap<R>(_ body: @autoclosure () throws -> R) throws(StoreError) -> R {
        try wrap { try body() }
    }

    /// Runs `body` and turns an error of a lower layer into one for the user.
    static func wrap<R>(_ body: () throws -> R) throws(StoreError) -> R {
        do {
            return try body()
        } catch {
            throw wrapping(error)
        }
    }

    /// The error of a call for an entity that the store was not opened with.
    static func unknownEntity(_ entity: String, adding type: String) -> StoreError {
        StoreError(
            .unknownEntity,
            "the store was opened without the entity \"\(entity)\"; add \(type) to the types "
                + "with which it is opened", at: Place(entity: entity))
    }

    init(_ error: LogError) {
        let sequences = error.sequences.map { range in
            SequenceNumber(rawValue: range.lowerBound)...SequenceNumber(rawValue: range.upperBound)
        }
        let place = Place(
            file: error.file?.description, offset: error.offset, sequences: sequences)
        let (code, remedy) = Self.meaning(of: error.code)
        self.init(
            code, remedy.isEmpty ? error.message : "\(error.message); \(remedy)", at: place,
            cause: error.cause?.description)
    }

    init(_ error: DiskError) {
        let place = Place(file: error.path)
        switch error.reason {
        case .locked(let holder):
            let why =
                "the store is open for writing already (\(holder)); "
                + "close it there, or open it for reading"
            self.init(.alreadyOpen, why, at: place)
        case .suspended:
            self = .suspended
        case .insecure:
            self.init(.insecurePath, error.description, at: place)
        case .system where error.isOutOfSpace:
            self.init(.diskFull, "\(error); free disk space and try again", at: place)
        case .system:
            self.init(.io, error.description, at: place)
        }
    }

    init(_ error: ThreadShortage) {
        self.init(.io, error.description)
    }

    private static func meaning(of code: LogError.Code) -> (Code, String) {
        switch code {
        case .io: (.io, "")
        case .diskFull: (.diskFull, "free disk space and try again")
        case .durabilityLost: (.durabilityLost, "reads still work; open the store again to write")
        case .corrupt: (.logCorrupt, "nothing was changed; `skyros verify` lists all damage")
        case .segmentMissing:
            (
                .segmentMissing,
                "restore the file from a backup; in a copy of a store that was written meanwhile, "
                    + "copy its events/ again"
            )
        case .chainBroken: (.chainBroken, "nothing was changed; `skyros verify` lists all damage")
        case .otherHistory: (.historyChanged, "")
        case .foreignStore: (.foreignStore, "put the store's own file in its place")
        case .unsupportedFormat: (.unsupportedFormat, "nothing was changed")
        case .limitExceeded: (.limitExceeded, "split the write block, or raise eventBytesMax")
        case .belowFloor: (.belowFloor, "")
        case .insecureDurability: (.insecureDurability, "")
        case .noLog: (.notAStore, "")
        case .notWriter: (.alreadyOpen, "")
        case .clockAhead: (.clockAhead, "")
        case .outcomeUnknown: (.outcomeUnknown, "")
        case .unavailable: (.serverUnavailable, "")
        case .conflict: (.conflict, "another writer appended; open the store again")
        case .closed: (.closed, "")
        case .erased: (.erased, "nothing can be read from it or written to it")
        case .suspended: (.suspended, "call resume() first")
        }
    }
}

extension StoreError {
    /// The error of a write after `close`.
    static var closed: StoreError {
        StoreError(.closed, "the store was closed; open it again to write")
    }

    /// The error of a question about events that were pruned.
    ///
    /// - Parameter first: the first event that the log keeps.
    static func belowFloor(_ what: String, _ first: SequenceNumber) -> StoreError {
        StoreError(
            .belowFloor,
            "\(what): the history before event \(first) was pruned; the oldest moment that can be "
                + "asked for is just before that event, .sequence(\(first.rawValue - 1))",
            at: Place(sequences: first...first))
    }

    /// The error of a store whose records and events were erased.
    static var erased: StoreError {
        StoreError(
            .erased,
            "the store was erased by destroy() or nuke(); begin again with what it holds now")
    }

    /// The error of a call that would change the files of a suspended store.
    static var suspended: StoreError {
        StoreError(.suspended, "the store is suspended; call resume() first")
    }

    /// The error of a write in a write block of the same store.
    static var nestedWrite: StoreError {
        StoreError(
            .nestedWrite,
            "this thread is running a write block of this store already; "
                + "make the changes through the block's transaction")
    }

    /// The error of a transaction that is not its block's, or whose block has ended.
    static var wrongTransaction: StoreError {
        StoreError(
            .wrongTransaction,
            "the transaction belongs to another write block: two blocks have exchanged theirs, "
                + "for instance by swap; neither wrote anything. Use each only in its own block")
    }
}
