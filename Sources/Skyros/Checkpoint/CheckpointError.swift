package import SkyrosSQLite

/// Why a checkpoint could not be opened, read or written.
///
/// A checkpoint is a cache: what is `foreign`, `corrupt` or in parts `unreadable` is set aside
/// and rebuilt from the log by whoever owns both. What is of a `newerFormat` is left alone.
package enum CheckpointError: Error, Hashable, Sendable {
    /// SQLite or the disk failed while opening or reading; the file may be whole.
    case unreadable(SQLiteError)
    /// SQLite or the disk failed while writing; what was there before is still there.
    case unwritable(SQLiteError)
    /// The file is a SQLite database, but no checkpoint.
    case foreign(applicationID: Int64)
    /// The file was written by a later version of this library.
    case newerFormat(version: Int64)
    /// The file was written by an earlier version of this library.
    case olderFormat(version: Int64)
    /// The content contradicts itself.
    case corrupt(Damage)
    /// A record that was to be written is not a canonical CBOR map.
    case invalidRecord(entity: String, row: Int64, reason: String)
    /// The store's directory does not stand any more where it was opened; maybe another one does.
    case directoryMoved(from: String)
    /// A sequence number that was to be written is beyond what SQLite's integers hold.
    case limitExceeded(String)

    /// What is wrong with a checkpoint, and where.
    package struct Damage: Hashable, Sendable {
        package let description: String
        package let entity: String?
        package let row: Int64?

        package init(_ description: String, entity: String? = nil, row: Int64? = nil) {
            self.description = description
            self.entity = entity
            self.row = row
        }
    }

    /// The damage named by `description`, at a place if there is one.
    static func damage(
        _ description: String, entity: String? = nil, row: Int64? = nil
    ) -> CheckpointError {
        .corrupt(Damage(description, entity: entity, row: row))
    }

    /// What a SQLite error means to somebody who reads: damage, or trouble.
    ///
    /// Reading runs only statements of ours; where one of them is wrong, the file made it so.
    static func reading(_ error: SQLiteError) -> CheckpointError {
        let isDamage = error.isDamage || error.code == .error
        return isDamage ? .damage(error.description) : .unreadable(error)
    }

    /// What a SQLite error means to somebody who writes: damage, or trouble.
    static func writing(_ error: SQLiteError) -> CheckpointError {
        error.isDamage ? .damage(error.description) : .unwritable(error)
    }
}

extension CheckpointError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let error): "The checkpoint cannot be read. \(error)"
        case .unwritable(let error): "The checkpoint cannot be written. \(error)"
        case .foreign(let applicationID):
            "The file is no checkpoint: its application id is \(applicationID)."
        case .newerFormat(let version):
            "The checkpoint has format \(version), which needs a newer version of the library."
        case .olderFormat(let version):
            "The checkpoint has format \(version), which an earlier version of the library wrote."
        case .corrupt(let damage):
            "The checkpoint is damaged: \(damage.description)\(damage.place)."
        case .invalidRecord(let entity, let row, let reason):
            "The record of \(entity) in row \(row) cannot be stored: \(reason)."
        case .directoryMoved(let path):
            "The checkpoint cannot be reached: the store's directory was moved away from \(path)."
        case .limitExceeded(let what): "The checkpoint cannot hold \(what)."
        }
    }
}

extension CheckpointError.Damage {
    /// The place in parentheses, with a space before it; empty when it concerns the whole file.
    var place: String {
        switch (entity, row) {
        case (let entity?, let row?): " (entity \(entity), row \(row))"
        case (let entity?, nil): " (entity \(entity))"
        default: ""
        }
    }
}
