public import Foundation
import SkyrosDisk

extension Archive {
    /// Copies the store to a directory, or brings an earlier copy up to date, beside a process that
    /// writes the store.
    ///
    ///     let report = try Archive(at: url).backup(to: copy)
    ///     try Archive(at: copy).backup(to: restored, asOf: .date(yesterday))
    ///
    /// The copy holds all events that were written when the call began, and perhaps some after
    /// them; they are durable in the store too. It is an ordinary store without a checkpoint, which
    /// the first opening makes. Sealed segments that it has already are kept; others are copied as
    /// files, which share their disk space with the originals where the file system can. Everything
    /// that is written is read again and compared.
    ///
    /// A copy that ends before the store's end has the same store id: it is the same store as of
    /// that moment. Write to one of them only, or both have different events under the same
    /// numbers; then no backup brings one to the other.
    ///
    /// An interruption at any moment leaves a copy that opens, and that the next backup continues.
    /// Blocks the calling thread until the copy is durable. May be called from any thread.
    ///
    /// - Parameters:
    ///   - directory: the copy: nothing, an empty directory or an earlier copy, outside the store.
    ///   - moment: where the copy ends; nil for the end of the log.
    ///   - verifyingKept: whether to read also what the copy has already; damaged files are copied
    ///     again.
    ///   - progress: called from time to time.
    /// - Throws: `StoreError` with `.historyChanged` if the directory holds another store, or one
    ///   with other or later events, and nothing is changed then; `.notAStore` if it holds other
    ///   files; `.invalidInput` if it is in the store; `.alreadyOpen` if the copy is open;
    ///   `.noSuchEvent` if the log ends before the moment; `.logCorrupt` and the like if the store
    ///   is damaged; `.diskFull`, `.io`.
    /// - Complexity: O(bytes that the copy lacks), and O(segments).
    @discardableResult
    public func backup(
        to directory: URL, asOf moment: Moment? = nil, verifyingKept: Bool = false,
        progress: (BackupProgress) -> Void = { _ in }
    ) throws -> BackupReport {
        let last = try moment.map { try backupEnd(at: $0) }
        return try Backup.run(
            of: disk, to: directory, through: last, verifyingKept: verifyingKept, progress)
    }

    /// The event with which a copy as of `moment` ends.
    ///
    /// - Throws: `StoreError` with `.noSuchEvent` if the log ends before it; the first damage, if
    ///   the archive ends there.
    func backupEnd(at moment: Moment) throws -> SequenceNumber {
        try historyReader.sequence(of: moment)
    }

    /// A copy of the store that is brought up to date again and again.
    package func backup(following directory: URL) throws -> Backup {
        try Backup(of: disk, to: directory)
    }

    /// Whether `directory` is the store's, or in it.
    static func lies(_ directory: URL, in source: any Disk) -> Bool {
        guard let own = source.systemPath else { return false }
        return (resolved(directory) + "/").hasPrefix(own + "/")
    }
}
