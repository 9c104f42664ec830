import SkyrosLog

/// What all rows of an entity come to: how many, their state digest, and a check that binds
/// every row's number to its id.
///
/// All three are sums, so that rows come and go in any order. The state digest does not know
/// of row numbers; without the check of its own, a row that damage moved to another number
/// would go unnoticed until an update missed it.
struct TableDigest: Hashable, Sendable {
    var rowCount = 0
    var digest = StateDigest()
    /// The sum modulo 2 to the 64 of the XXH64 of every id, with the row's number as the seed.
    var rowNumberHash: UInt64 = 0

    /// Adds a row whose digest is `digest`.
    mutating func add(_ number: Int64, id: UnsafeRawBufferPointer, _ digest: StateDigest) {
        rowCount += 1
        self.digest.add(digest)
        rowNumberHash &+= XXH64.hash(id, seed: UInt64(bitPattern: number))
    }

    /// Takes out a row that was added.
    mutating func remove(_ number: Int64, id: UnsafeRawBufferPointer, _ digest: StateDigest) {
        rowCount -= 1
        self.digest.remove(digest)
        rowNumberHash &-= XXH64.hash(id, seed: UInt64(bitPattern: number))
    }
}
