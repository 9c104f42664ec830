import Foundation

extension EncodingContext {
    /// Appends a value whose type must be that of `kind`.
    func encodeScalar<T: Encodable>(_ value: T, _ kind: CodingKind) throws {
        // Each cast is to the type of `kind`, that is, to the same type.
        func cast<U>(_ type: U.Type) -> U { unsafeBitCast(value, to: type) }
        switch kind {
        case .string: state.pointee.writer.append(text: cast(String.self))
        case .uuid:
            try reserveLevels(1)
            state.pointee.writer.append(cast(UUID.self))
        case .date:
            try reserveLevels(1)
            state.pointee.writer.append(cast(Date.self))
        case .bool: state.pointee.writer.append(cast(Bool.self))
        case .double: state.pointee.writer.append(cast(Double.self))
        case .float: state.pointee.writer.append(cast(Float.self))
        case .int: state.pointee.writer.append(Int64(cast(Int.self)))
        case .int8: state.pointee.writer.append(Int64(cast(Int8.self)))
        case .int16: state.pointee.writer.append(Int64(cast(Int16.self)))
        case .int32: state.pointee.writer.append(Int64(cast(Int32.self)))
        case .int64: state.pointee.writer.append(cast(Int64.self))
        case .uint: state.pointee.writer.append(UInt64(cast(UInt.self)))
        case .uint8: state.pointee.writer.append(UInt64(cast(UInt8.self)))
        case .uint16: state.pointee.writer.append(UInt64(cast(UInt16.self)))
        case .uint32: state.pointee.writer.append(UInt64(cast(UInt32.self)))
        case .uint64: state.pointee.writer.append(cast(UInt64.self))
        case .int128:
            try reserveLevels(1)
            state.pointee.writer.append(cast(Int128.self))
        case .uint128:
            try reserveLevels(1)
            state.pointee.writer.append(cast(UInt128.self))
        case .data: state.pointee.writer.append(cast(Data.self))
        case .url: try encodeURL(cast(URL.self))
        case .decimal: try encodeDecimal(cast(Decimal.self))
        case .unknown, .plain, .unordered:
            preconditionFailure("These kinds are not scalars.")
        }
    }

    /// A URL without a base is a tagged text; one with a base encodes itself.
    private func encodeURL(_ url: URL) throws {
        guard url.baseURL == nil else {
            let cursor = try pushFrame(.undecided)
            try url.encode(to: FrameEncoder(cursor: cursor))
            try state.pointee.finishFrame()
            return
        }
        try reserveLevels(1)
        state.pointee.writer.appendTag(CBORFormat.Tag.url)
        state.pointee.writer.append(text: url.absoluteString)
    }

    private func encodeDecimal(_ decimal: Decimal) throws {
        try reserveLevels(3)
        guard state.pointee.writer.append(decimal) else {
            throw error("The decimal's mantissa exceeds 128 bits.", value: decimal)
        }
    }

    /// Throws if a scalar that consists of tags and arrays would exceed the nesting limit.
    @inline(__always)
    private func reserveLevels(_ levels: Int) throws {
        if state.pointee.top.depth + levels > CBORFormat.nestingMax { throw tooDeep() }
    }
}
