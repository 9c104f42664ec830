/// The buffers and stacks of an encoding call, which are reused by later calls.
struct EncodingState: ~Copyable {
    var writer = CBORWriter(capacity: 1_024)
    var scratch = CBORWriter(capacity: 1_024)
    var frames = ScratchStack<EncodingFrame>(capacity: 32)
    var entries = ScratchStack<EncodingEntry>(capacity: 128)
    var kinds = CodingKinds()
    /// Explicitly requested containers that are not yet part of `writer`.
    var children: [NestedEncoding] = []
    /// Contexts of earlier children, for reuse.
    var spares: [EncodingContext] = []
    /// An error in a method that cannot throw.
    var failure: (any Error)?
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// Where a child's bytes will be spliced in.
    var parent: ParentEncoding?
    /// The number of running calls of `encode(to:)` when this child was made.
    var callDepthBase = 0
    /// Only grows, so that no stamp is used twice.
    private var nextStamp: UInt = 1

    // MARK: Frames

    /// Opens a frame at the end of the buffer.
    @inline(__always)
    mutating func pushFrame(_ kind: EncodingFrame.Kind, depth: Int) -> UInt {
        let stamp = nextStamp
        nextStamp += 1
        frames.push(
            EncodingFrame(
                kind: kind, depth: depth, start: writer.count, entriesStart: entries.count,
                count: 0, stamp: stamp))
        return stamp
    }

    /// The frame on top of the stack.
    @inline(__always)
    var top: EncodingFrame { frames[frames.count - 1] }

    /// Turns the top frame into a container, which begins with a byte for its head.
    mutating func open(_ kind: EncodingFrame.Kind) {
        let index = frames.count - 1
        frames.base[index].kind = kind
        frames.base[index].depth += 1
        writer.reserve(1)
        writer.store(CBORFormat.Byte.emptyMap)
    }

    // MARK: Keys

    /// Appends a key and remembers where it is.
    @inline(__always)
    mutating func appendKey(_ name: String) {
        let start = writer.count
        writer.append(text: name)
        pushEntry(from: start)
    }

    /// Remembers what was appended since `start` as an entry of the top frame.
    @inline(__always)
    mutating func pushEntry(from start: Int) {
        let word = writer.leadingWord(from: start)
        entries.push(EncodingEntry(word: word, start: UInt32(truncatingIfNeeded: start)))
    }

    // MARK: Going back

    /// Undoes all changes since the buffer had `byteCount` bytes.
    mutating func rollBack(toFrames frameCount: Int, entries entryCount: Int, bytes: Int) {
        frames.truncate(to: frameCount)
        entries.truncate(to: entryCount)
        writer.truncate(to: bytes)
        while let child = children.last, child.frame >= frameCount || child.offset > bytes {
            retire(child)
            children.removeLast()
        }
        failure = nil
    }

    /// Removes all content and keeps the memory.
    mutating func reset() {
        writer.removeAll()
        scratch.removeAll()
        frames.removeAll()
        entries.removeAll()
        if !children.isEmpty {
            for child in children { retire(child) }
            children.removeAll()
        }
        failure = nil
        parent = nil
        callDepthBase = 0
        if !userInfo.isEmpty { userInfo = [:] }
    }
}

extension CBORWriter {
    /// The first eight bytes from `start` on as a big-endian number; zeros where there are
    /// fewer.
    @inline(__always)
    mutating func leadingWord(from start: Int) -> UInt64 {
        reserve(8)
        let size = count - start
        // Reads past the end, into reserved memory, and masks these bytes.
        let word = UInt64(bigEndian: base.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        return size >= 8 ? word : word & ~(UInt64.max >> UInt64(8 * size))
    }
}
