package import Foundation

/// A deterministic generator: splitmix64, after Guy Steele et al., "Fast Splittable Pseudorandom
/// Number Generators".
package struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// A text with a bias to edge cases: empty, NUL, combining marks, supplementary planes.
    package mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "b", "Z", "0", " ", "\0", "\u{1}", "\u{2}", "\u{7F}", "é", "e", "\u{301}",
            "\u{323}",
            "ß", "Å", "A", "\u{30A}", "\u{212B}", "가", "\u{1100}", "\u{1161}", "日", "😀", "\u{FFFD}",
        ]
        var text = ""
        for _ in 0..<below(12) { text.unicodeScalars.append(scalars[below(scalars.count)]) }
        return text
    }

    /// A double of any magnitude, with a bias to special values.
    package mutating func double() -> Double {
        switch below(6) {
        case 0:
            [0, -0.0, 1, -1, .infinity, -.infinity, 0x1p-1074, .greatestFiniteMagnitude][below(8)]
        case 1: Double(Int64(truncatingIfNeeded: next()) >> below(63))
        case 2: Double(Float(bitPattern: UInt32(truncatingIfNeeded: next())))
        case 3: Double(below(2000) - 1000) / 8
        default: Double(bitPattern: next())
        }
    }

    package mutating func integer() -> Int64 {
        Int64(truncatingIfNeeded: next()) >> below(64)
    }

    package mutating func uuid() -> UUID {
        let words = (next(), next())
        return withUnsafeBytes(of: words) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
