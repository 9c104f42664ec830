extension KeyedDecoding {
    @inline(__always)
    private func read<T>(
        _ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws -> T {
        try context.read(at: try offset(of: key, for: T.self), body)
    }

    @inline(__always)
    private func readIfPresent<T>(
        _ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws -> T? {
        guard let offset = findValue(key) else { return nil }
        return try context.read(at: offset, body)
    }

    // MARK: Required

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try read(key) { reader throws(CBORError) in try reader.readBool() }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try read(key) { reader throws(CBORError) in try reader.readText() }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try read(key) { reader throws(CBORError) in try reader.readDouble() }
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try read(key) { reader throws(CBORError) in try reader.readFloat() }
    }

    /// Serves all integers of up to 64 bits: the standard library asks for each of them.
    @inline(__always)
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    // The standard library has implementations of these two, which only throw.

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    // MARK: Optional: the frequent ones; for others the standard library searches three times

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readBool() }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readText() }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readDouble() }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }
}
