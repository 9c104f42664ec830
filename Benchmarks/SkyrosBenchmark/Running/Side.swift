/// A party that does the work.
enum Side: String, Codable, CaseIterable, Sendable {
    /// The library, through its public interface.
    case skyros
    /// SQLite, tuned as its best users do, without a history.
    case sqlite
    /// SQLite with an audit table that triggers fill: the history that Skyros keeps anyway.
    case sqliteAudit = "sqlite-audit"
    /// What is left if nothing but the bare work is done: a Dictionary, a file.
    case floor
}
