import SkyrosLog

/// The number of rows, and their content digest. Sums, so that rows are added and removed in any
/// order.
struct RowsDigest: Hashable, Sendable {
    private(set) var count = 0
    /// The sum modulo 2 to the 64 of the rows' sums.
    private(set) var content: UInt64 = 0

    init() {}

    init(count: Int, content: UInt64) {
        self.count = count
        self.content = content
    }

    /// Adds a row, whose sum is a hash of its content.
    mutating func add(_ sum: UInt64) {
        count += 1
        content &+= sum
    }

    /// Subtracts a row that was added.
    mutating func remove(_ sum: UInt64) {
        count -= 1
        content &-= sum
    }
}

extension KeyedEvent {
    /// The sum of its row: the XXH64 under seed 0 of the canonical CBOR of `[sequence, time, key,
    /// hash of the intent or null]`.
    var sum: UInt64 {
        var writer = CBORWriter(capacity: 64)
        writer.appendArrayHead(4)
        writer.append(sequence.rawValue)
        writer.append(time.microseconds)
        writer.append(text: text)
        if let hash = intentHash { writer.append(hash) } else { writer.appendNull() }
        return writer.withUnsafeBytes { XXH64.hash($0, seed: 0) }
    }
}

extension StoredProjection {
    /// The sum of its row: the XXH64 under seed 0 of its CBOR.
    var sum: UInt64 {
        var writer = CBORWriter(capacity: (value?.count ?? 0) + 128)
        append(to: &writer)
        return writer.withUnsafeBytes { XXH64.hash($0, seed: 0) }
    }
}
