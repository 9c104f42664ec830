import CSQLite

/// SQLite's type of a stored value.
package enum StorageType: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}
