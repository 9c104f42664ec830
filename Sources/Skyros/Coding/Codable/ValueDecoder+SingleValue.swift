/// A decoder of one item is its own single-value container.
extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        var reader = session.reader(at: Int(offset))
        return (try? reader.readNullIfPresent()) ?? false
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try session.decode(type, at: Int(offset), depth: Int(depth))
    }

    @inline(__always)
    private func scalar<T>(_ type: T.Type, _ kind: CodingKind) throws -> T {
        var reader = session.reader(at: Int(offset))
        return try session.decodeScalar(type, kind, &reader)
    }

    func decode(_ type: Bool.Type) throws -> Bool { try scalar(type, .bool) }
    func decode(_ type: String.Type) throws -> String { try scalar(type, .string) }
    func decode(_ type: Double.Type) throws -> Double { try scalar(type, .double) }
    func decode(_ type: Float.Type) throws -> Float { try scalar(type, .float) }
    func decode(_ type: Int.Type) throws -> Int { try scalar(type, .int) }
    func decode(_ type: Int8.Type) throws -> Int8 { try scalar(type, .int8) }
    func decode(_ type: Int16.Type) throws -> Int16 { try scalar(type, .int16) }
    func decode(_ type: Int32.Type) throws -> Int32 { try scalar(type, .int32) }
    func decode(_ type: Int64.Type) throws -> Int64 { try scalar(type, .int64) }
    func decode(_ type: Int128.Type) throws -> Int128 { try scalar(type, .int128) }
    func decode(_ type: UInt.Type) throws -> UInt { try scalar(type, .uint) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try scalar(type, .uint8) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try scalar(type, .uint16) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try scalar(type, .uint32) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try scalar(type, .uint64) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(type, .uint128) }
}
