import Foundation

/// One decoding call. Decoders and containers are small values that refer to it.
///
/// A context and its containers are confined to the thread of the call. Containers may outlive the
/// call: then the state's stamp no longer matches theirs, and they find no bytes.
struct DecodingContext {
    /// Plain memory from a pool that never frees it, see `ScratchPool`.
    let state: UnsafeMutablePointer<DecodingState>
    let stamp: UInt

    private static let pool: ScratchPool = ScratchPool { DecodingContext.pool.keep($0) }
    private static let callDepthMax = 3 * CBORFormat.nestingMax

    /// A new context, which the caller must end.
    static func begin() -> DecodingContext {
        let state: UnsafeMutablePointer<DecodingState>
        if let memory = pool.take() {
            state = memory.assumingMemoryBound(to: DecodingState.self)
        } else {
            state = .allocate(capacity: 1)
            state.initialize(to: DecodingState())
        }
        return DecodingContext(state: state, stamp: state.pointee.stamp)
    }

    /// Returns the context's memory to the pool.
    func end() {
        state.pointee.reset()
        Self.pool.put(UnsafeMutableRawPointer(state))
    }

    /// Whether the call is still running.
    @inline(__always)
    var isValid: Bool { state.pointee.stamp == stamp }

    @inline(__always)
    func reader(at offset: Int) -> CBORReader {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        return CBORReader(isValid ? state.pointee.bytes : none, at: offset)
    }

    // MARK: Values

    /// Decodes the item at `offset`, around which there are `depth` arrays and maps.
    func decode<T: Decodable>(_ type: T.Type, at offset: Int, depth: Int) throws -> T {
        let kind = state.pointee.kinds.kind(of: type)
        switch kind {
        case .plain, .unordered, .unknown:
            return try decodePlain(type, at: offset, depth: depth)
        case .url where isMap(at: offset):
            return try decodePlain(type, at: offset, depth: depth)
        default:
            var reader = reader(at: offset)
            return try decodeScalar(type, kind, &reader)
        }
    }

    private func decodePlain<T: Decodable>(
        _ type: T.Type, at offset: Int, depth: Int
    ) throws -> T {
        guard state.pointee.callDepth < Self.callDepthMax else {
            throw error(CBORError(.tooDeep, at: offset), type)
        }
        state.pointee.callDepth += 1
        defer { state.pointee.callDepth -= 1 }
        return try type.init(from: ValueDecoder(context: self, offset: offset, depth: depth))
    }

    private func isMap(at offset: Int) -> Bool {
        let type = try? reader(at: offset).peekType()
        return type == .map
    }

    // MARK: Scalars

    /// Reads the item at `offset` with one of the reader's methods.
    @inline(__always)
    func read<T>(
        at offset: Int, _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws -> T {
        var reader = reader(at: offset)
        do {
            return try body(&reader)
        } catch {
            throw self.error(error, T.self, item: offset)
        }
    }

    /// Reads a value of a type that must be that of `kind`.
    func decodeScalar<T>(
        _ type: T.Type, _ kind: CodingKind, _ reader: inout CBORReader
    ) throws -> T {
        // Each cast is from the type of `kind`, that is, from the same type.
        func cast<U>(_ value: U) -> T { unsafeBitCast(value, to: type) }
        let start = reader.offset
        do {
            switch kind {
            case .string: return cast(try reader.readText())
            case .uuid: return cast(try reader.readUUID())
            case .date: return cast(try reader.readDate())
            case .bool: return cast(try reader.readBool())
            case .double: return cast(try reader.readDouble())
            case .float: return cast(try reader.readFloat())
            case .int: return cast(try reader.readInteger(Int.self))
            case .int8: return cast(try reader.readInteger(Int8.self))
            case .int16: return cast(try reader.readInteger(Int16.self))
            case .int32: return cast(try reader.readInteger(Int32.self))
            case .int64: return cast(try reader.readInteger(Int64.self))
            case .int128: return cast(try reader.readInteger(Int128.self))
            case .uint: return cast(try reader.readInteger(UInt.self))
            case .uint8: return cast(try reader.readInteger(UInt8.self))
            case .uint16: return cast(try reader.readInteger(UInt16.self))
            case .uint32: return cast(try reader.readInteger(UInt32.self))
            case .uint64: return cast(try reader.readInteger(UInt64.self))
            case .uint128: return cast(try reader.readInteger(UInt128.self))
            case .data: return cast(try reader.readData())
            case .url: return cast(try reader.readURL())
            case .decimal: return cast(try reader.readDecimal())
            case .unknown, .plain, .unordered:
                preconditionFailure("These kinds are not scalars.")
            }
        } catch {
            throw self.error(error, type, item: start)
        }
    }

    // MARK: Errors

    /// The standard library's error for a problem with the item at `item`.
    func error(_ problem: CBORError, _ type: Any.Type, item: Int? = nil) -> DecodingError {
        let item = item ?? problem.offset
        let context = DecodingError.Context(
            codingPath: codingPath(to: item), debugDescription: problem.description,
            underlyingError: problem)
        guard case .unexpectedType = problem.problem else { return .dataCorrupted(context) }
        var reader = reader(at: item)
        if (try? reader.readNullIfPresent()) == true { return .valueNotFound(type, context) }
        return .typeMismatch(type, context)
    }

    func missingKey(_ key: any CodingKey, _ type: Any.Type, in offset: Int) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath(to: offset),
            debugDescription: "The record has no field \"\(key.stringValue)\".",
            underlyingError: MissingField(expected: String(describing: type)))
        return .keyNotFound(key, context)
    }

    /// The keys that lead to the item at `target`, see `CodingPathSearch`.
    func codingPath(to target: Int) -> [any CodingKey] {
        isValid ? state.pointee.search.path(to: target, in: state.pointee.bytes) : []
    }
}

/// The reason for an error about a missing field: what was asked for.
struct MissingField: Error {
    /// The type's name.
    let expected: String
}
