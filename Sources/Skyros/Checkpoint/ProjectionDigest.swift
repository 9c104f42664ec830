import SkyrosLog

/// The number of projections in a checkpoint, and their content digest. Sums, so that rows are
/// replaced in any order.
struct ProjectionDigest: Hashable, Sendable {
    private(set) var count = 0
    /// The sum modulo 2 to the 64 of the rows' sums.
    private(set) var content: UInt64 = 0

    init() {}

    init(count: Int, content: UInt64) {
        self.count = count
        self.content = content
    }

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

extension StoredProjection {
    /// The sum of its row: the XXH64 under seed 0 of the canonical CBOR of `[name, version,
    /// sequence, value or null, kind, event and message of the failure or three times null]`.
    var sum: UInt64 {
        var writer = CBORWriter(capacity: (value?.count ?? 0) + 128)
        writer.appendArrayHead(7)
        writer.append(text: name)
        writer.append(Int64(version))
        writer.append(sequence.rawValue)
        if let value { writer.append(bytes: value) } else { writer.appendNull() }
        if let failure {
            writer.append(failure.kind.rawValue)
            writer.append(failure.sequence.rawValue)
            writer.append(text: failure.message)
        } else {
            for _ in 0..<3 { writer.appendNull() }
        }
        return writer.withUnsafeBytes { XXH64.hash($0, seed: 0) }
    }
}
