import SkyrosSQLite

/// A snapshot persisted in a SQLite file, which any SQLite client may query.
///
/// This stage is responsible for: each record exactly, beside columns that show its fields; the
/// position in the same transaction as the rows; detecting damage. It is not responsible for:
/// when to write, that the log is durable up to the position, and what to do about damage.
///
/// docs/checkpoint-format.md describes the file. Like its connection, a database is used from
/// one thread at a time.
///
/// ```swift
/// let database = try CheckpointDatabase(path: "/data/Orders.skyros/checkpoint.sqlite")
/// let meta = try database.load { entity, row in … }
/// try database.write(batch, at: position)
/// try database.close()
/// ```
package final class CheckpointDatabase {
    let connection: Connection
    /// The file's description as of `dataVersion`; nil when the file is empty.
    var description: CheckpointDescription?
    /// SQLite's counter of other connections' commits.
    private var dataVersion: Int64?
    /// By the bytes of the entity's name; emptied whenever the file was not written by us.
    var writers: [[UInt8]: TableWriter] = [:]

    /// Opens a checkpoint and checks its description, not yet its rows; creates the file if
    /// there is none and it may be written to.
    ///
    /// - Parameters:
    ///   - path: No part of it may be a symbolic link. SQLite creates files readable by all:
    ///     an empty file that was created with fewer permissions keeps those, and its journal
    ///     gets them too.
    ///   - busyTimeoutMilliseconds: How long a writer waits for readers.
    /// - Throws: `unreadable`, `foreign`, `newerFormat`, `corrupt`. The file is as it was then.
    package convenience init(
        path: String, readOnly: Bool = false, busyTimeoutMilliseconds: Int32 = 5_000,
        vfs: String? = nil
    ) throws(CheckpointError) {
        try self.init(
            ConnectionOptions(
                .file(path), access: readOnly ? .readOnly : .readWriteCreate,
                busyTimeoutMilliseconds: busyTimeoutMilliseconds, vfs: vfs))
    }

    init(_ options: ConnectionOptions) throws(CheckpointError) {
        do {
            connection = try Connection(options)
            try connection.transaction(.deferred) { try refresh() }
        } catch {
            throw Self.readingError(error)
        }
    }

    /// What the checkpoint says about itself; nil when nothing was ever written.
    ///
    /// - Throws: as `init`; another connection may have written since.
    package func meta() throws(CheckpointError) -> CheckpointMeta? {
        do {
            try connection.transaction(.deferred) { try refresh() }
        } catch {
            throw Self.readingError(error)
        }
        return description?.meta
    }

    /// Closes the file; a second call does nothing.
    package func close() throws(CheckpointError) {
        writers = [:]
        do throws(SQLiteError) {
            try connection.close()
        } catch {
            throw .unwritable(error)
        }
    }

    /// Reads the description again if another connection has written; inside a transaction.
    func refresh() throws {
        let select = try connection.prepare("PRAGMA data_version")
        let current = try select.single { $0.integer(at: 0) }
        guard dataVersion == nil || dataVersion != current else { return }
        writers = [:]
        description = try CheckpointDescription.read(connection)
        dataVersion = current
    }

    /// Forgets everything known of the file, after a transaction that may have left nothing
    /// behind or, if only the last sync failed, all of it.
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
