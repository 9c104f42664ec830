/// A change with the version of its record's shape, and the fields that steps have changed.
struct VersionedChange {
    let change: Change
    let version: Int
    /// The version of the record before an update that has brought it to another; nil if it is the
    /// same.
    let formerVersion: Int?
    /// The fields that steps changed, and the write block did not.
    let evolved: [String]

    init(
        _ change: Change, version: Int, formerVersion: Int? = nil, evolved: [String] = []
    ) {
        self.change = change
        self.version = version
        self.formerVersion = formerVersion
        self.evolved = evolved
    }
}
