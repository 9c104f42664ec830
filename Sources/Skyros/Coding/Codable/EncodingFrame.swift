/// A value that is being encoded: the place in the buffer where it grows.
struct EncodingFrame: BitwiseCopyable {
    enum Kind: UInt8 {
        /// Its `encode(to:)` has not asked for a container yet.
        case undecided
        case value, array, map
    }

    var kind: Kind
    /// How many arrays and maps there are around the next value in this frame.
    var depth: Int
    /// Where the value begins; a container keeps one byte there for its head.
    var start: Int
    /// The first of the frame's keys in `EncodingState.entries`.
    var entriesStart: Int
    /// The number of an array's elements so far.
    var count: Int
    /// Tells this frame from others that were at the same place of the stack.
    var stamp: UInt
}

/// A key, with its value, or an element, that has to be brought into canonical order.
struct EncodingEntry: BitwiseCopyable {
    /// The first eight bytes as a big-endian number: most comparisons need no more.
    var word: UInt64
    var start: UInt32
    /// The size of key and value together; known when the frame is finished.
    var size: UInt32 = 0
}
