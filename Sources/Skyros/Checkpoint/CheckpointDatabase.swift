import SkyrosSQLite

/// A snapshot persisted in a SQLite file, which any SQLite client may query.
///
/// It is responsible for: exact records, and columns that show their fields; the position in the
/// same transaction as the rows; detecting damage. It is not responsible for: when to write, the
/// durability of the log up to the position, and what to do about damage.
///
/// docs/checkpoint-format.md describes the file. Like its connection, a database is used from
/// one thread at a time.
///
/// ```swift
/// let database = try CheckpointDatabase(path: "/data/Orders.skyros/checkpoint.sqlite")
/// let description = try database.load { entity, row in … }
/// try database.write(batch, at: position)
/// try database.close()
/// ```
final class CheckpointDatabase {
    let connection: Connection
    /// The file's description as of `dataVersion`; nil if the file is empty.
    var known: CheckpointDescription?
    /// The tables and columns that the file gets first, if nothing was ever written.
    var template = TableLayout()
    /// SQLite's counter of other connections' commits.
    private var dataVersion: Int64?
    /// The table writers by the bytes of the entity's name; none if another connection wrote.
    var writers: [[UInt8]: TableWriter] = [:]

    /// Opens a checkpoint and checks its description, but not its rows. Creates a missing file,
    /// unless `readOnly`.
    ///
    /// - Parameters:
    ///   - path: no part of it may be a symbolic link. SQLite creates files that all users may
    ///     read; it keeps the permissions of an empty file, also for the journal.
    ///   - isNew: whether the file is useless unless it is complete: no journal lies beside it.
    ///   - busyTimeoutMilliseconds: how long a writer waits for readers.
    /// - Throws: `unreadable`, `foreign`, `newerFormat`, `olderFormat`, `corrupt`. The file is
    ///   unchanged then.
    convenience init(
        path: String, readOnly: Bool = false, isNew: Bool = false,
        busyTimeoutMilliseconds: Int32 = 5_000, vfs: String? = nil,
        gate: ConnectionOptions.Gate? = nil
    ) throws(CheckpointError) {
        var options = ConnectionOptions(
            .file(path), access: readOnly ? .readOnly : .readWriteCreate,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds, vfs: vfs, gate: gate)
        options.keepsJournalInMemory = isNew
        try self.init(options)
    }

    init(_ options: ConnectionOptions) throws(CheckpointError) {
        do {
            connection = try Connection(options)
            try connection.transaction(.deferred) { try refresh() }
        } catch {
            throw Self.readingError(error)
        }
    }

    /// The checkpoint's description; nil if nothing was ever written.
    ///
    /// - Throws: as `init`: another connection may have written since.
    func description() throws(CheckpointError) -> CheckpointDescription? {
        do {
            try connection.transaction(.deferred) { try refresh() }
        } catch {
            throw Self.readingError(error)
        }
        return known
    }

    /// Closes the file; a second call does nothing.
    func close() throws(CheckpointError) {
        writers = [:]
        do throws(SQLiteError) {
            try connection.close()
        } catch {
            throw .unwritable(error)
        }
    }

    /// Reads the description again if another connection has written. Call it in a transaction.
    func refresh() throws {
        let select = try connection.prepare("PRAGMA data_version")
        let current = try select.single { $0.integer(at: 0) }
        guard dataVersion == nil || dataVersion != current else { return }
        writers = [:]
        known = try CheckpointDescription.read(connection)
        dataVersion = current
    }

    /// Drops everything that was read of the file. A transaction that failed may have left nothing
    /// in it or, if only its last sync failed, all of its changes.
    func forget() {
        writers = [:]
        dataVersion = nil
    }

    private static func readingError(_ error: any Error) -> CheckpointError {
        switch error {
        case let error as CheckpointError: error
        case let error as SQLiteError: .reading(error)
        default: .damage(String(describing: error))
        }
    }
}
