/// A change with the version of its record's shape, and the fields that steps have changed.
struct VersionedChange {
    let change: Change
    let version: Int
    /// The fields that steps changed, and the write block did not.
    let evolved: [String]

    init(_ change: Change, version: Int, evolved: [String] = []) {
        self.change = change
        self.version = version
        self.evolved = evolved
    }
}
