import SkyrosDisk
import SkyrosLog

/// The files of a node: a copy of a log on a server, and what is made of it. All of it can be made
/// again.
struct ServerCache {
    let disk: any Disk
    let options: LogOptions
    let entropy: any Entropy

    /// - Parameter options: the limits of the log, but for the sizes of events.
    init(disk: any Disk, options: LogOptions, entropy: any Entropy) {
        self.disk = disk
        self.options = options.ofCopy
        self.entropy = entropy
    }

    /// A longer marker is not ours.
    private static let markerBytesMax = 1 << 10

    private static let unfinishedText = """
        Copying a log from a server to this directory was interrupted. `skyros copy` continues it.

        """

    /// Says that the server had another history than the copy after `last`. Its first line is the
    /// number.
    private static func replacementText(after last: UInt64) -> String {
        """
        \(last)
        is the last event that the copy and the server had in common, when the server was found
        to have another history. The copy was set aside in quarantine/. The next node that opens
        this directory reports it, and removes this file.

        """
    }

    private static func text(_ storeID: StoreID) -> String {
        """
        The files in this directory are a copy of a log that is on a server: the store \(storeID).
        The program that uses the server keeps it up to date. It can be deleted, but
        not quarantine/, which has events that the server has lost.

        """
    }

    /// Throws if the files are a copy: events that were added here would be in no other node.
    static func refuseCopy(on disk: any Disk) throws {
        if try StoreError.wrap(try disk.status(of: .unfinishedCopy)) != nil {
            throw StoreError(
                .foreignStore,
                "copying a log from a server to this directory was interrupted; run `skyros copy` "
                    + "again", at: StoreError.Place(file: DiskPath.unfinishedCopy.name))
        }
        guard try isCopy(disk) else { return }
        throw StoreError(
            .foreignStore,
            "the directory is the copy of a log on a server; open the store there, or read the "
                + "copy with an Archive", at: StoreError.Place(file: DiskPath.serverMarker.name))
    }

    /// Brings the copy up to date, or makes one. The calling thread holds the lock of the files.
    ///
    /// - Returns: the last event that both had, if the server has another history than the copy,
    ///   which is set aside then; also if that was found earlier, until `forgetReplacement`.
    /// - Throws: `StoreError` with `.foreignStore` if the files are not a copy of this log,
    ///   `.belowFloor` if the server does not keep the next event, `.serverUnavailable` and the
    ///   like.
    func update(from server: any LogServer, _ state: ServerState) throws -> SequenceNumber? {
        let text = try checkedMarker(of: state.storeID)
        if text != Self.text(state.storeID) {
            try mark(.serverMarker, Self.text(state.storeID))
        }
        if text == nil {
            try makeLog(state.storeID)
            try fill(state.storeID, from: server)
            return try replacedAfter().map { SequenceNumber(rawValue: $0) }
        }
        // What is wrong with the server's log is no reason to give up the copy.
        switch try undamagedLog(of: state.storeID).map({ try outcome(of: $0, server) }) {
        case .complete: break
        case .historyReplaced(let last):
            try noteReplacement(after: last)
            try replace(state.storeID, from: server)
        // Another copy would lack what this one has, and could not be made either.
        case .belowFloor:
            throw StoreError(
                LogError(
                    .belowFloor,
                    "the server begins with event \(state.firstSequence), and the copy ends before "
                        + "it; restore the server"))
        // It is damaged, or has no log since the process was killed while it was replaced.
        case nil: try replace(state.storeID, from: server)
        }
        return try replacedAfter().map { SequenceNumber(rawValue: $0) }
    }

    /// Notes durably that the server has another history after an event, before the copy is set
    /// aside: what follows may fail, and the next copy would not show it.
    private func noteReplacement(after last: UInt64) throws {
        if let known = try replacedAfter(), known <= last { return }
        try mark(.replacedHistory, Self.replacementText(after: last))
    }

    /// The last event before the other history of the server, if that was not reported yet.
    private func replacedAfter() throws -> UInt64? {
        guard try StoreError.wrap(try disk.status(of: .replacedHistory)) != nil else { return nil }
        let bytes = try StoreError.wrap(
            try disk.bytes(of: .replacedHistory, byteCountMax: Self.markerBytesMax))
        let text = String(decoding: bytes, as: UTF8.self)
        return text.firstIndex(of: "\n").flatMap { UInt64(text[..<$0]) }
    }

    /// Forgets that the server had another history, once that was reported.
    static func forgetReplacement(on disk: any Disk) throws {
        guard try StoreError.wrap(try disk.status(of: .replacedHistory)) != nil else { return }
        try unmark(.replacedHistory, on: disk)
    }

    /// Throws if the files are the copy of another log, or a store. Changes nothing.
    ///
    /// - Returns: the text of the marker, which may not have been written to its end; nil if there
    ///   are no files.
    @discardableResult
    func checkedMarker(of storeID: StoreID) throws -> String? {
        guard try Self.isCopy(disk) else {
            try requireNoStore()
            return nil
        }
        let bytes = try StoreError.wrap(
            try disk.bytes(of: .serverMarker, byteCountMax: Self.markerBytesMax))
        let text = String(decoding: bytes, as: UTF8.self)
        guard Self.text(storeID).hasPrefix(text) else {
            throw StoreError(
                .foreignStore,
                "the directory has a copy of another log than that of the server; name another "
                    + "directory", at: StoreError.Place(file: disk.systemPath))
        }
        return text
    }

    /// The log of the copy; nil if there is none, or if it is damaged.
    private func undamagedLog(of storeID: StoreID) throws -> FileLog? {
        do {
            return try StoreError.wrap { try log(of: storeID) }
        } catch {
            switch error.code {
            case .logCorrupt, .segmentMissing, .chainBroken: return nil
            default: throw error
            }
        }
    }

    /// Whether the files are the copy of a server's log.
    static func isCopy(_ disk: any Disk) throws -> Bool {
        try StoreError.wrap(try disk.status(of: .serverMarker)) != nil
    }

    private func inspection() throws -> LogInspection {
        try LogInspection(of: disk, options, framing: EventCoding.byteCount(of:))
    }

    /// Throws if there is a store, or what is left of one.
    private func requireNoStore() throws {
        if try inspection().storeID != nil {
            throw StoreError(
                .foreignStore,
                "the directory has a store that is not on the server; name another directory for "
                    + "the copy, or bring the store to the server with `skyros copy`",
                at: StoreError.Place(file: disk.systemPath))
        }
        try StoreCreation(disk: disk).check()
    }

    /// The log of the copy; nil if there is none.
    private func log(of storeID: StoreID) throws -> FileLog? {
        let inspection = try inspection()
        if let refusal = inspection.refusal { throw refusal }
        guard inspection.storeID == storeID else { return nil }
        return try FileLog.open(inspection, on: disk, options).0
    }

    /// Adds what the server has and the log has not, and closes the log.
    private func outcome(
        of log: FileLog, _ server: any LogServer, _ progress: (UInt64) -> Void = { _ in }
    ) throws -> FileLog.CatchingUp {
        let outcome: FileLog.CatchingUp
        do throws(ServerError) {
            outcome = try log.catchUp(
                with: server, time: EventCoding.microseconds(of:), progress: progress)
        } catch {
            try? log.close()
            throw StoreError(LogError(error))
        }
        try StoreError.wrap(try log.close())
        return outcome
    }

    /// Copies the log of a server to files that are a store of their kind afterwards. The calling
    /// thread holds their lock.
    ///
    /// - Parameter progress: called now and then with the last event of the copy.
    /// - Returns: the last event that was there before.
    /// - Throws: `StoreError` with `.foreignStore` if the files are another store's,
    ///   `.historyChanged` if they have other or later events.
    func fill(
        _ state: ServerState, from server: any LogServer, progress: (UInt64) -> Void
    ) throws -> SequenceNumber {
        if try Self.isCopy(disk) {
            throw StoreError(
                .foreignStore, "the directory is the copy of a node; name another one",
                at: StoreError.Place(file: DiskPath.serverMarker.name))
        }
        let wasUnfinished = try StoreError.wrap(try disk.status(of: .unfinishedCopy)) != nil
        var inspection = try inspection()
        if let refusal = inspection.refusal { throw refusal }
        if let storeID = inspection.storeID, storeID != state.storeID {
            throw StoreError(
                .foreignStore, "the directory has another store than the server",
                at: StoreError.Place(file: disk.systemPath))
        }
        let before = SequenceNumber(rawValue: inspection.head.sequence)
        if inspection.storeID == nil {
            try StoreCreation(disk: disk).check()
        }
        // Until it is complete, nothing may be written to it.
        if !wasUnfinished { try mark(.unfinishedCopy, Self.unfinishedText) }
        if inspection.storeID == nil {
            try makeLog(state.storeID)
            inspection = try self.inspection()
        }
        let log = try FileLog.open(inspection, on: disk, options).0
        let outcome = try outcome(of: log, server, progress)
        // What was a store before is one again.
        if outcome == .complete || (before > .zero && !wasUnfinished) {
            try Self.unmark(.unfinishedCopy, on: disk)
        }
        guard outcome == .complete else {
            throw StoreError(
                .historyChanged,
                "the directory has other events than the server, or later ones; name another one",
                at: StoreError.Place(file: disk.systemPath))
        }
        return before
    }

    /// Gives a file its text, whole or not at all.
    private func mark(_ path: DiskPath, _ text: String) throws {
        try StoreError.wrap {
            if try disk.status(of: .unfinishedMark) != nil { try disk.remove(.unfinishedMark) }
            try disk.createFile(.unfinishedMark, Array(text.utf8)).close()
            try disk.rename(.unfinishedMark, to: path)
            try disk.syncDirectory(.root)
        }
    }

    private static func unmark(_ path: DiskPath, on disk: any Disk) throws {
        try StoreError.wrap {
            try disk.remove(path)
            try disk.syncDirectory(.root)
        }
    }

    private func makeLog(_ storeID: StoreID) throws {
        try StoreError.wrap {
            try FileLog.make(
                for: storeID, on: disk, options, entropy: entropy,
                framing: EventCoding.byteCount(of:)
            ).close()
        }
    }

    private func fill(_ storeID: StoreID, from server: any LogServer) throws {
        switch try log(of: storeID).map({ try outcome(of: $0, server) }) {
        case .complete: break
        case .belowFloor:
            throw StoreError(LogError(.belowFloor, "the server does not keep the first event"))
        case .historyReplaced, nil:
            throw StoreError(
                .serverUnavailable, "the log on the server changed while it was copied; try again")
        }
    }

    /// Sets the copy aside, and makes another one. Its events may be the only ones of a history
    /// that the server has lost. If the process is killed meanwhile, the next opening begins again.
    private func replace(_ storeID: StoreID, from server: any LogServer) throws {
        try StoreError.wrap {
            // First: without its log it would look like the rest of a store.
            if try disk.status(of: .checkpoint) != nil { _ = try disk.setCheckpointAside() }
            for name in try disk.list(.events) { _ = try disk.setAside(DiskPath(.events, name)) }
            for name in try disk.list(.history) { try disk.remove(DiskPath(.history, name)) }
            for file in [ScrubState.file, ScrubState.unfinished]
            where try disk.status(of: file) != nil {
                try disk.remove(file)
            }
        }
        try makeLog(storeID)
        try fill(storeID, from: server)
    }
}
