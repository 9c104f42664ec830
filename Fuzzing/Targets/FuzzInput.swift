/// Reads decisions and contents from an input, in order; zeros after its end.
struct FuzzInput {
    private var rest: [UInt8].SubSequence

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = [UInt8](bytes)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    mutating func word() -> Int { Int(byte()) | Int(byte()) << 8 }

    mutating func long() -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(byte()) << (8 * UInt64($1)) }
    }

    /// A number below `limit`; 0 if `limit` is 0.
    mutating func below(_ limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        return (limit > 256 ? word() : Int(byte())) % limit
    }

    /// The next `count` bytes, or fewer at the end.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return [UInt8](rest.prefix(count))
    }

    /// Bytes that follow their length.
    mutating func string() -> [UInt8] { bytes(word()) }

    /// All remaining bytes.
    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

extension [UInt8] {
    /// The form that `FuzzInput.string` reads.
    var asFuzzString: [UInt8] {
        [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)] + self
    }
}
