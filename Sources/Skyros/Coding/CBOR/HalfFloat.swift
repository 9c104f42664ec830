/// IEEE 754 half precision by its bits.
///
/// The standard library's `Float16` does not exist on Intel Macs, and only two conversions are
/// needed.
enum HalfFloat {
    /// The half with exactly the value of `value`, which is not NaN; nil if there is none.
    static func bits(exactly value: Float) -> UInt16? {
        let bits = value.bitPattern
        let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
        let biasedExponent = Int((bits >> 23) & 0xFF)
        let mantissa = bits & 0x7F_FFFF
        switch biasedExponent {
        case 0:
            // Zero; the single's subnormals are far below the least half.
            return mantissa == 0 ? sign : nil
        case 0xFF:
            return sign | 0x7C00
        case 113...142:
            guard mantissa & 0x1FFF == 0 else { return nil }
            let exponent = UInt16(biasedExponent - 112) << 10
            return sign | exponent | UInt16(truncatingIfNeeded: mantissa >> 13)
        case 103...112:
            // A subnormal half counts units of 2 to the -24.
            let significand = mantissa | 0x80_0000
            let shift = UInt32(126 - biasedExponent)
            guard significand & ((1 << shift) - 1) == 0 else { return nil }
            return sign | UInt16(truncatingIfNeeded: significand >> shift)
        default:
            return nil
        }
    }

    /// The value of the half with these bits.
    static func value(_ bits: UInt16) -> Double {
        let magnitude: Double
        let mantissa = UInt64(bits & 0x3FF)
        switch (bits >> 10) & 0x1F {
        case 0:
            magnitude = Double(mantissa) * 0x1p-24
        case 0x1F:
            magnitude = mantissa == 0 ? .infinity : .nan
        case let exponent:
            magnitude = Double(bitPattern: (UInt64(exponent) + 1008) << 52 | mantissa << 42)
        }
        return bits & 0x8000 == 0 ? magnitude : -magnitude
    }
}
