/// How many rows of a table are stored in each version of their shape before the type's.
struct OlderRows: Sendable {
    /// By version. Empty, and free to copy, while there is no such row.
    private var counts: [Int] = []
    private let newestVersion: Int

    /// - Parameter newestVersion: the version of the type.
    init(before newestVersion: Int) {
        self.newestVersion = newestVersion
    }

    /// The version of the oldest row; nil if there is none before the type's.
    var oldestVersion: Int? {
        counts.firstIndex { $0 > 0 }.map { $0 + Evolver.firstVersion }
    }

    /// Counts a row that comes into the table, and the one that it replaces. O(1).
    mutating func note(_ row: Row?, replacing old: Row?) {
        guard newestVersion > Evolver.firstVersion else { return }
        if let row { add(1, of: row) }
        if let old { add(-1, of: old) }
    }

    private mutating func add(_ step: Int, of row: Row) {
        guard row.version < newestVersion else { return }
        let index = row.version - Evolver.firstVersion
        while counts.count <= index { counts.append(0) }
        counts[index] += step
    }

    /// Forgets all rows.
    mutating func clear() {
        counts = []
    }
}
