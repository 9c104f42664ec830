/// The decoder of one item, which a type's `init(from:)` gets.
struct ValueDecoder: Decoder {
    let context: DecodingContext
    let offset: UInt32
    /// The number of arrays and maps around the item.
    let depth: UInt32

    @inline(__always)
    init(context: DecodingContext, offset: Int, depth: Int) {
        self.context = context
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.depth = UInt32(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { context.codingPath(to: Int(offset)) }

    var userInfo: [CodingUserInfoKey: Any] { context.state.pointee.userInfo }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        do {
            guard context.isValid else { throw CBORError(.truncated, at: Int(offset)) }
            let fields = try context.state.pointee.openMap(at: Int(offset), depth: Int(depth))
            return KeyedDecodingContainer(
                KeyedDecoding<Key>(context: context, fields: fields, depth: Int(depth) + 1))
        } catch let problem as CBORError {
            throw context.error(problem, [String: Any].self)
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        do {
            guard depth < CBORFormat.nestingMax else {
                throw CBORError(.tooDeep, at: Int(offset))
            }
            var reader = context.reader(at: Int(offset))
            let count = try reader.readArrayHead()
            return UnkeyedDecoding(
                context: context, start: Int(offset), next: reader.offset, length: count,
                depth: Int(depth) + 1)
        } catch let problem as CBORError {
            throw context.error(problem, [Any].self)
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        self
    }
}
