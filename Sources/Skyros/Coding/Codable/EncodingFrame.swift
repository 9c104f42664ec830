/// A value that is being encoded at the end of the buffer.
struct EncodingFrame: BitwiseCopyable {
    enum Kind: UInt8 {
        /// Its `encode(to:)` has not requested a container yet.
        case undecided
        case value, array, map
    }

    var kind: Kind
    /// The number of arrays and maps around the next value in this frame.
    var depth: Int
    /// The start of the value; a container reserves one byte there for its head.
    var start: Int
    /// The first of the frame's keys in `EncodingState.entries`.
    var entriesStart: Int
    /// The number of an array's elements so far.
    var count: Int
    /// Distinguishes this frame from others that were at the same place of the stack.
    var stamp: UInt
}

/// A key with its value, or an element, to be sorted into canonical order.
struct EncodingEntry: BitwiseCopyable {
    /// The first eight bytes as a big-endian number, which decides most comparisons.
    var word: UInt64
    var start: UInt32
    /// The size of key and value together; known when the frame is finished.
    var size: UInt32 = 0
}
