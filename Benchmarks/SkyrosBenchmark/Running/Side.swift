/// A party that does the work.
enum Side: String, Codable, CaseIterable, Sendable {
    /// The library, through its public interface.
    case skyros
    /// SQLite, tuned as its best users do, without a history. Other processes can use the file.
    case sqlite
    /// The same with `locking_mode=EXCLUSIVE`: one connection holds the file, as a store does.
    case sqliteExclusive = "sqlite-exclusive"
    /// SQLite with an audit table that triggers fill: the history that Skyros keeps anyway.
    case sqliteAudit = "sqlite-audit"
    /// The same with `locking_mode=EXCLUSIVE`.
    case sqliteAuditExclusive = "sqlite-audit-exclusive"
    /// What is left if only the bare work is done: arrays, a hash table, a file.
    case floor

    /// Whether no second connection can use the side's files.
    var isExclusive: Bool {
        switch self {
        case .sqliteExclusive, .sqliteAuditExclusive: true
        case .skyros, .sqlite, .sqliteAudit, .floor: false
        }
    }

    /// The side that prepares this side's files: how a file is locked leaves no trace in it.
    var preparer: Side {
        switch self {
        case .sqliteExclusive: .sqlite
        case .sqliteAuditExclusive: .sqliteAudit
        case .skyros, .sqlite, .sqliteAudit, .floor: self
        }
    }

    /// Skyros, SQLite without audit in both ways of locking, and the floor.
    static let withoutAudit: [Side] = [.skyros, .sqlite, .sqliteExclusive, .floor]
}
