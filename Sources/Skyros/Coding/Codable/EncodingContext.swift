/// One encoding call, or one explicitly requested container within it.
///
/// The containers and encoders of user code are small values that refer to a context and to one of
/// its frames (`EncodingCursor`). They may outlive the call: then the frame's stamp no longer
/// matches theirs, and writing to them is an error.
///
/// A context and its containers are confined to the thread of the call.
struct EncodingContext {
    /// Plain memory from a pool that never frees it, see `ScratchPool`.
    let state: UnsafeMutablePointer<EncodingState>

    private static let pool: ScratchPool = ScratchPool { EncodingContext.pool.keep($0) }

    /// Code that encodes itself through a single-value container nests calls without nesting
    /// bytes. Three calls for each level are enough for all others.
    private static let callDepthMax = 3 * CBORFormat.nestingMax

    /// A new context, which the caller must end.
    static func begin() -> EncodingContext {
        if let memory = pool.take() {
            return EncodingContext(state: memory.assumingMemoryBound(to: EncodingState.self))
        }
        let state = UnsafeMutablePointer<EncodingState>.allocate(capacity: 1)
        state.initialize(to: EncodingState())
        return EncodingContext(state: state)
    }

    /// Returns the context's memory to the pool. Later writes to its cursors are errors.
    func end() {
        state.pointee.reset()
        Self.pool.put(UnsafeMutableRawPointer(state))
    }

    /// The number of running calls of `encode(to:)`.
    var callDepth: Int { state.pointee.callDepthBase + state.pointee.frames.count }

    // MARK: Values

    /// Appends `value` to the top frame.
    func encode<T: Encodable>(_ value: T) throws {
        switch state.pointee.kinds.kind(of: T.self) {
        case .plain, .unknown: try encodePlain(value)
        case .unordered: try encodeUnordered(value)
        case let kind: try encodeScalar(value, kind)
        }
    }

    private func encodePlain<T: Encodable>(_ value: T) throws {
        let cursor = try pushFrame(.undecided)
        try value.encode(to: FrameEncoder(cursor: cursor))
        try finishFrame()
    }

    /// Completes the top frame.
    @inline(__always)
    func finishFrame() throws {
        if !state.pointee.children.isEmpty { try refuseReplacedChildren() }
        try state.pointee.finishFrame()
    }

    func pushFrame(_ kind: EncodingFrame.Kind) throws -> EncodingCursor {
        let frame = state.pointee.frames.count
        guard frame + state.pointee.callDepthBase < Self.callDepthMax else { throw tooDeep() }
        let stamp = state.pointee.pushFrame(kind, depth: state.pointee.top.depth)
        return EncodingCursor(context: self, frame: frame, stamp: stamp)
    }

    /// The finished bytes of a child, moved to its parent's buffer; returns their number.
    func appendBytes(to writer: inout CBORWriter) -> Int {
        state.pointee.writer.withUnsafeBytes { writer.append(raw: $0) }
        return state.pointee.writer.count
    }

    /// Calls `body` with the bytes that were encoded so far.
    func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try state.pointee.writer.withUnsafeBytes(body)
    }

    // MARK: Errors

    func tooDeep() -> EncodingError {
        error("The value is nested deeper than \(CBORFormat.nestingMax) levels.")
    }

    /// An error at the value that is being encoded.
    func error(_ sentence: String, value: Any = ()) -> EncodingError {
        let path = codingPath(upTo: state.pointee.frames.count)
        let context = EncodingError.Context(codingPath: path, debugDescription: sentence)
        return .invalidValue(value, context)
    }

    /// The keys that lead to the value that the frame below `frame` is encoding. O(depth).
    ///
    /// Maintaining a path would take longer than encoding, so it is computed from the stack of
    /// frames on request.
    func codingPath(upTo frame: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        if let parent = state.pointee.parent {
            path = parent.context.codingPath(upTo: parent.frame)
            parent.context.appendKey(of: parent.frame, entry: parent.entry, to: &path)
        }
        for index in 0..<frame where index < state.pointee.frames.count {
            let isTop = index + 1 == state.pointee.frames.count
            let entriesEnd =
                isTop
                ? state.pointee.entries.count : state.pointee.frames[index + 1].entriesStart
            let current = state.pointee.frames[index]
            let entry = current.kind == .map ? entriesEnd - 1 : current.count - 1
            appendKey(of: index, entry: entry, to: &path)
        }
        return path
    }

    private func appendKey(of frame: Int, entry: Int, to path: inout [any CodingKey]) {
        guard frame < state.pointee.frames.count else { return }
        let owner = state.pointee.frames[frame]
        if owner.kind == .array, entry >= 0 {
            path.append(CBORKey(index: entry))
        } else if owner.kind == .map, entry >= owner.entriesStart {
            let start = Int(state.pointee.entries[entry].start)
            state.pointee.writer.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes, at: start)
                if let name = try? reader.readText() { path.append(CBORKey(name)) }
            }
        }
    }
}
