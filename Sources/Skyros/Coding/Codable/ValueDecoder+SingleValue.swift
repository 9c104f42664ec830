/// A decoder of one item is its own single-value container.
extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        var reader = context.reader(at: Int(offset))
        return (try? reader.readNullIfPresent()) ?? false
    }

    /// Serves the other scalars as well.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try context.decode(type, at: Int(offset), depth: Int(depth))
    }

    /// The frequent one: enums with text as their raw values.
    func decode(_ type: String.Type) throws -> String {
        try context.read(at: Int(offset)) { reader throws(CBORError) in try reader.readText() }
    }

    // The standard library has implementations of these two, which only throw.

    func decode(_ type: Int128.Type) throws -> Int128 {
        try context.decode(type, at: Int(offset), depth: Int(depth))
    }

    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try context.decode(type, at: Int(offset), depth: Int(depth))
    }
}
