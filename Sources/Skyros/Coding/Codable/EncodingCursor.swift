/// A reference of an encoder or container to a frame of an `EncodingContext`.
struct EncodingCursor {
    let context: EncodingContext
    let frame: Int
    let stamp: UInt

    @inline(__always)
    var state: UnsafeMutablePointer<EncodingState> { context.state }

    var codingPath: [any CodingKey] { context.codingPath(upTo: frame) }

    /// Whether the frame is on top of the stack, so that it may grow.
    @inline(__always)
    var isOpen: Bool {
        state.pointee.frames.count == frame + 1
            && state.pointee.frames.base[frame].stamp == stamp
    }

    @inline(__always)
    func requireOpen() throws {
        if !isOpen { throw closedError() }
    }

    @inline(never)
    private func closedError() -> any Error {
        // If the cursor never opened, the reason was recorded.
        if let failure = state.pointee.failure { return failure }
        return context.error(
            "An encoding container was used before or after its turn: while a value inside "
                + "of it was being encoded, or when its own value was complete.")
    }

    /// A cursor that accepts nothing, for requests that cannot throw; the call fails later.
    private func refused(_ error: EncodingError) -> EncodingCursor {
        if state.pointee.failure == nil { state.pointee.failure = error }
        return EncodingCursor(context: context, frame: frame, stamp: 0)
    }

    // MARK: Containers

    /// The same cursor as a container of `kind`.
    func opened(as kind: EncodingFrame.Kind) -> EncodingCursor {
        guard isOpen else {
            return refused(context.error("An encoder was used after its value was complete."))
        }
        let present = state.pointee.top.kind
        if present == kind { return self }
        guard present == .undecided else {
            return refused(
                context.error("One value asked for encoding containers of different kinds."))
        }
        guard state.pointee.top.depth < CBORFormat.nestingMax else {
            return refused(context.tooDeep())
        }
        state.pointee.open(kind)
        return self
    }

    /// Opens a container or throws.
    func open(_ kind: EncodingFrame.Kind) throws {
        try opened(as: kind).requireOpen()
    }

    // MARK: Fields, elements, single values

    /// Appends a key; its value must follow.
    @inline(__always)
    func beginField(_ key: some CodingKey) throws {
        try requireOpen()
        state.pointee.appendKey(key.stringValue)
    }

    /// Counts an element, which must follow.
    @inline(__always)
    func beginElement() throws {
        try requireOpen()
        state.pointee.frames.base[frame].count += 1
    }

    /// Prepares for the frame's only value, which must follow.
    @inline(__always)
    func beginValue() throws {
        try requireOpen()
        guard state.pointee.frames.base[frame].kind == .undecided else {
            throw context.error("One value was encoded twice into a single-value container.")
        }
        state.pointee.frames.base[frame].kind = .value
    }

    func encodeField<T: Encodable>(_ value: T, _ key: some CodingKey) throws {
        try beginField(key)
        let entry = state.pointee.entries.count - 1
        let start = Int(state.pointee.entries[entry].start)
        try encode(value, orRollBackTo: start, entries: entry) { _ in }
    }

    func encodeElement<T: Encodable>(_ value: T) throws {
        try beginElement()
        let (start, entries) = (state.pointee.writer.count, state.pointee.entries.count)
        try encode(value, orRollBackTo: start, entries: entries) { $0.pointee.count -= 1 }
    }

    func encodeValue<T: Encodable>(_ value: T) throws {
        try beginValue()
        let (start, entries) = (state.pointee.writer.count, state.pointee.entries.count)
        try encode(value, orRollBackTo: start, entries: entries) { $0.pointee.kind = .undecided }
    }

    /// Encodes a value; if that throws, restores the state before it, and the frame by `undo`.
    @inline(__always)
    private func encode<T: Encodable>(
        _ value: T, orRollBackTo start: Int, entries: Int,
        undo: (UnsafeMutablePointer<EncodingFrame>) -> Void
    ) throws {
        do {
            try context.encode(value)
        } catch {
            state.pointee.rollBack(toFrames: frame + 1, entries: entries, bytes: start)
            undo(state.pointee.frames.base + frame)
            throw error
        }
    }

    // MARK: Nested containers

    /// A container or an encoder for the value of `key`: the one that was requested for it before,
    /// if any, so that a class and its superclass may share it.
    func child(_ kind: EncodingFrame.Kind, for key: some CodingKey) -> EncodingCursor {
        guard isOpen else { return refused(context.error("A container was used too late.")) }
        let (start, entries) = (state.pointee.writer.count, state.pointee.entries.count)
        state.pointee.appendKey(key.stringValue)
        guard let present = context.childOfLastKey(in: frame) else {
            return context.makeChild(in: frame, kind)
        }
        state.pointee.writer.truncate(to: start)
        state.pointee.entries.truncate(to: entries)
        return kind == .undecided ? present : present.opened(as: kind)
    }

    /// A container or an encoder for the next element.
    func childElement(_ kind: EncodingFrame.Kind) -> EncodingCursor {
        guard isOpen else { return refused(context.error("A container was used too late.")) }
        state.pointee.frames.base[frame].count += 1
        return context.makeChild(in: frame, kind)
    }
}
