/// How many rows of an index keep it from some of its uses.
struct IndexCounts {
    /// Rows with stored values that today's type does not write, or whose steps fail.
    private(set) var unexpected = 0
    /// Those of them whose steps fail.
    private(set) var failed = 0
    /// Rows whose key does not have the order of the values.
    private(set) var irregular = 0

    /// Counts a row by its key; with a `step` of -1, one that leaves the index.
    mutating func add(_ key: IndexKey.Checked, _ step: Int) {
        if !key.isExpected { unexpected += step }
        if !key.isRegular { irregular += step }
        if key.hasFailed { failed += step }
    }

    /// Counts a row whose steps fail, of an index with an entry for each element.
    mutating func addFailed(_ step: Int) {
        unexpected += step
        failed += step
    }

    static func + (a: IndexCounts, b: IndexCounts) -> IndexCounts {
        var sum = a
        sum.unexpected += b.unexpected
        sum.failed += b.failed
        sum.irregular += b.irregular
        return sum
    }
}
