/// A collection without an order, which iterates differently in each process.
///
/// The standard library encodes it in the order of its hash table. Stored bytes must not depend on
/// that. So this protocol encodes it in the order of its elements' bytes, which the standard
/// library's `init(from:)` decodes.
///
/// A type that calls `set.encode(to: encoder)` itself, instead of passing the set to a container,
/// does not get this order.
protocol UnorderedCollection {
    /// False if the collection's own encoding is ordered already.
    static var needsOrder: Bool { get }

    func encodeElements(to context: EncodingContext) throws
}

extension Set: UnorderedCollection where Element: Encodable {
    static var needsOrder: Bool { true }

    func encodeElements(to context: EncodingContext) throws {
        for element in self {
            let start = context.state.pointee.writer.count
            context.state.pointee.countElement()
            try context.encode(element)
            context.state.pointee.pushEntry(from: start)
        }
    }
}

extension Dictionary: UnorderedCollection where Key: Encodable, Value: Encodable {
    /// Keys that become text keys of a map are sorted there. All others make an array in which
    /// keys and values alternate.
    static var needsOrder: Bool {
        !(Key.self == String.self || Key.self == Int.self
            || Key.self is any CodingKeyRepresentable.Type)
    }

    func encodeElements(to context: EncodingContext) throws {
        for (key, value) in self {
            let start = context.state.pointee.writer.count
            context.state.pointee.countElement()
            try context.encode(key)
            context.state.pointee.countElement()
            try context.encode(value)
            context.state.pointee.pushEntry(from: start)
        }
    }
}

extension EncodingContext {
    /// Encodes a collection as an array, in the order of its elements' bytes. O(n log n).
    func encodeUnordered<T: Encodable>(_ value: T) throws {
        guard let collection = value as? any UnorderedCollection else {
            preconditionFailure("A value of the kind `unordered` has its protocol.")
        }
        try pushFrame(.undecided).open(.array)
        try collection.encodeElements(to: self)
        try state.pointee.finishUnordered()
        try state.pointee.finishFrame()
    }
}

extension EncodingState {
    mutating func countElement() {
        frames.base[frames.count - 1].count += 1
    }

    /// Sorts the top frame's elements and completes its array.
    ///
    /// - Parameter bytesMax: what offsets of 32 bits reach.
    mutating func finishUnordered(bytesMax: Int = Int(UInt32.max)) throws {
        guard writer.count <= bytesMax else { throw CBORError(.tooLarge, at: 0) }
        let frame = top
        sortEntries(from: frame.entriesStart, .array)
        emitEntries(from: frame.entriesStart, at: frame.start, .array, frame.count)
        frames.base[frames.count - 1].kind = .value
    }
}
