/// The decoder of one item, which a type's `init(from:)` gets.
struct ValueDecoder: Decoder {
    let session: DecodingContext
    let offset: UInt32
    /// The number of arrays and maps around the item.
    let depth: UInt32

    @inline(__always)
    init(session: DecodingContext, offset: Int, depth: Int) {
        self.session = session
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.depth = UInt32(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { session.codingPath(to: Int(offset)) }

    var userInfo: [CodingUserInfoKey: Any] { session.state.pointee.userInfo }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        do {
            guard session.isValid else { throw CBORError(.truncated, at: Int(offset)) }
            let fields = try session.state.pointee.openMap(at: Int(offset), depth: Int(depth))
            return KeyedDecodingContainer(
                KeyedDecoding<Key>(session: session, fields: fields, depth: Int(depth) + 1))
        } catch let problem as CBORError {
            throw session.error(problem, [String: Any].self)
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        do {
            guard depth < CBORFormat.nestingMax else {
                throw CBORError(.tooDeep, at: Int(offset))
            }
            var reader = session.reader(at: Int(offset))
            let count = try reader.readArrayHead()
            return UnkeyedDecoding(
                session: session, start: Int(offset), next: reader.offset, length: count,
                depth: Int(depth) + 1)
        } catch let problem as CBORError {
            throw session.error(problem, [Any].self)
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        self
    }
}
