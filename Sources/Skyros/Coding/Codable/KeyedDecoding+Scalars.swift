extension KeyedDecoding {
    @inline(__always)
    private func read<T>(
        _ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws -> T {
        try session.read(at: try offset(of: key), body)
    }

    @inline(__always)
    private func readIfPresent<T>(
        _ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws -> T? {
        guard let offset = findValue(key) else { return nil }
        return try session.read(at: offset, body)
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

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try read(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    // MARK: Optional

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readBool() }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readText() }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readDouble() }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readFloat() }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try readIfPresent(key) { reader throws(CBORError) in try reader.readInteger() }
    }
}
