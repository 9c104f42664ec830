import SkyrosSQLite

/// Why a checkpoint could not be opened, read or written.
///
/// A checkpoint is a cache of the log. The opening of a store sets one that is `foreign`,
/// `corrupt`, `unreadable` or of an `olderFormat` aside and rebuilds it. It leaves a
/// `newerFormat` as it is.
enum CheckpointError: Error, Hashable, Sendable {
    /// SQLite or the disk failed while opening or reading; the file may be whole.
    case unreadable(SQLiteError)
    /// SQLite or the disk failed while writing; the earlier content is unchanged.
    case unwritable(SQLiteError)
    /// The file is a SQLite database, but no checkpoint.
    case foreign(applicationID: Int64)
    /// The file was written by a later version of this library.
    case newerFormat(version: Int64)
    /// The file was written by an earlier version of this library.
    case olderFormat(version: Int64)
    /// The content contradicts itself.
    case corrupt(Damage)
    /// A record to write is not a canonical CBOR map.
    case invalidRecord(entity: String, row: Int64, reason: String)
    /// The store's directory is no longer at the path where it was opened.
    case directoryMoved(from: String)
    /// The store was suspended meanwhile.
    case suspended
    /// A sequence number to write is too large for SQLite's integers.
    case limitExceeded(String)

    /// What is wrong with a checkpoint, and in which row.
    struct Damage: Hashable, Sendable {
        let description: String
        let entity: String?
        let row: Int64?
    }

    /// The damage named by `description`, at a place if there is one.
    static func damage(
        _ description: String, entity: String? = nil, row: Int64? = nil
    ) -> CheckpointError {
        .corrupt(Damage(description: description, entity: entity, row: row))
    }

    /// The error for a SQLite error while reading: damage to the file, or a failure of the system.
    ///
    /// Reading runs only the library's own statements, so a wrong statement means a wrong file.
    static func reading(_ error: SQLiteError) -> CheckpointError {
        let isDamage = error.isDamage || error.code == .error
        return isDamage ? .damage(error.summary) : .unreadable(error)
    }

    /// The error for a SQLite error while writing: damage to the file, or a failure of the system.
    static func writing(_ error: SQLiteError) -> CheckpointError {
        error.isDamage ? .damage(error.summary) : .unwritable(error)
    }
}

extension CheckpointError {
    /// Whether another connection has the file locked, which says nothing about its content.
    var isBusy: Bool {
        switch self {
        case .unreadable(let error), .unwritable(let error): error.code == .busy
        default: false
        }
    }
}

extension CheckpointError {
    /// What the checkpoint is instead of usable, for the end of a sentence.
    var summary: String {
        switch self {
        case .newerFormat(let version): "of a newer version (format \(version))"
        case .olderFormat(let version): "of an earlier version (format \(version))"
        case .corrupt(let damage): "damaged: \(damage.description)\(damage.place)"
        case .foreign(let applicationID): "another program's (application id \(applicationID))"
        case .unreadable(let error) where error.isUnfinishedTransaction:
            "interrupted: the next opening rolls its last transaction back"
        default: description
        }
    }
}

extension CheckpointError: CustomStringConvertible {
    var description: String {
        switch self {
        case .unreadable(let error): "The checkpoint cannot be read. \(error.explanation)"
        case .unwritable(let error): "The checkpoint cannot be written. \(error.explanation)"
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
        case .suspended: "The store was suspended while its checkpoint was written."
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
