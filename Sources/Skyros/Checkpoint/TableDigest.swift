import SkyrosLog

/// The totals of all rows of an entity: their number, their state digest, and their content digest.
///
/// All three are sums, so that rows are added and removed in any order.
struct TableDigest: Hashable, Sendable {
    var rowCount = 0
    var state = StateDigest()
    /// The sum modulo 2 to the 64 of `contentTerm` over all rows.
    ///
    /// It covers what the state digest does not: a row's number, its sequence and its version.
    var content: UInt64 = 0

    /// Adds a row whose state digest is `state`.
    mutating func add(_ row: CheckpointRow, _ state: StateDigest) {
        rowCount += 1
        self.state.add(state)
        content &+= Self.contentTerm(row, state)
    }

    /// Subtracts a row that was added.
    mutating func remove(_ row: CheckpointRow, _ state: StateDigest) {
        rowCount -= 1
        self.state.remove(state)
        content &-= Self.contentTerm(row, state)
    }

    /// The XXH64 under seed 0 of four little-endian words: the row's sum, which is a hash of its
    /// entity, id and record; its number; its sequence; and the version of the record's shape.
    private static func contentTerm(_ row: CheckpointRow, _ state: StateDigest) -> UInt64 {
        let words = (
            state.sum0.littleEndian, UInt64(bitPattern: row.number).littleEndian,
            row.sequence.littleEndian, UInt64(row.version).littleEndian
        )
        return withUnsafeBytes(of: words) { XXH64.hash($0, seed: 0) }
    }
}
