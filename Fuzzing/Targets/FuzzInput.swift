/// Takes decisions and contents out of an input, from the front to the back; zeros behind its end.
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

    /// A number below `limit`; 0 if there is none.
    mutating func below(_ limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        return (limit > 256 ? word() : Int(byte())) % limit
    }

    /// The next bytes, fewer at the end.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return [UInt8](rest.prefix(count))
    }

    /// A string with its length in front of it.
    mutating func string() -> [UInt8] { bytes(word()) }

    /// All that is left.
    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

extension [UInt8] {
    /// What `FuzzInput.string` reads.
    var asFuzzString: [UInt8] {
        [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)] + self
    }
}
