extension KeyedDecoding {
    @inline(__always)
    private func scalar<T>(_ type: T.Type, _ kind: CodingKind, _ key: Key) throws -> T {
        var reader = session.reader(at: try offset(of: key))
        return try session.decodeScalar(type, kind, &reader)
    }

    @inline(__always)
    private func scalarIfPresent<T>(
        _ type: T.Type, _ kind: CodingKind, _ key: Key
    ) throws -> T? {
        guard let offset = findValue(key) else { return nil }
        var reader = session.reader(at: offset)
        return try session.decodeScalar(type, kind, &reader)
    }

    // MARK: Required

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try scalar(type, .bool, key)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try scalar(type, .string, key)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try scalar(type, .double, key)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try scalar(type, .float, key)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try scalar(type, .int, key)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try scalar(type, .int8, key)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try scalar(type, .int16, key)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try scalar(type, .int32, key)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try scalar(type, .int64, key)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try scalar(type, .int128, key)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try scalar(type, .uint, key)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try scalar(type, .uint8, key)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try scalar(type, .uint16, key)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try scalar(type, .uint32, key)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try scalar(type, .uint64, key)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try scalar(type, .uint128, key)
    }

    // MARK: Optional

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try scalarIfPresent(type, .bool, key)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try scalarIfPresent(type, .string, key)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try scalarIfPresent(type, .double, key)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try scalarIfPresent(type, .float, key)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try scalarIfPresent(type, .int, key)
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try scalarIfPresent(type, .int8, key)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try scalarIfPresent(type, .int16, key)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try scalarIfPresent(type, .int32, key)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try scalarIfPresent(type, .int64, key)
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try scalarIfPresent(type, .int128, key)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try scalarIfPresent(type, .uint, key)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try scalarIfPresent(type, .uint8, key)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try scalarIfPresent(type, .uint16, key)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try scalarIfPresent(type, .uint32, key)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try scalarIfPresent(type, .uint64, key)
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try scalarIfPresent(type, .uint128, key)
    }
}
