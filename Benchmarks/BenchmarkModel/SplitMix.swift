/// A stream of pseudo-random numbers that can be entered at any index.
///
/// The algorithm is splitmix64: https://prng.di.unimi.it/splitmix64.c
public struct SplitMix: Sendable {
    /// What a stream is for. Each has its own seed.
    public enum Stream: UInt64, Sendable {
        case rows = 0x0EDE_5EED_0000_0001
        case updates = 0x0EDE_5EED_0000_0002
        case reads = 0x0EDE_5EED_0000_0003
        case queries = 0x0EDE_5EED_0000_0004
    }

    private var state: UInt64

    public init(_ stream: Stream, at index: Int) {
        state = stream.rawValue &+ UInt64(index) &* 0xD134_2543_DE82_EF95
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number below `bound`.
    mutating func next(below bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}
