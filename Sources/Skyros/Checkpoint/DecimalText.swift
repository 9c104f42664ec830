/// Decimal numbers (tag 4) as text of their digits: `-12.34`, `1200`, `0.001`.
enum DecimalText {
    /// Exponents beyond this are not written out; Foundation's `Decimal` stays below it.
    static let exponentMax = 200

    /// The digits of the decimal that `value` is; nil when it is none, or too long.
    static func text(of value: UnsafeRawBufferPointer) -> String? {
        var reader = CBORReader(value)
        guard (try? reader.expectTag(CBORFormat.Tag.decimal)) != nil,
            (try? reader.readArrayHead()) == 2,
            let exponent = try? reader.readInteger(Int.self),
            let mantissa = try? reader.readInteger(Int128.self),
            (-exponentMax...exponentMax).contains(exponent)
        else { return nil }
        let sign = mantissa < 0 ? "-" : ""
        let digits = String(mantissa.magnitude)
        guard exponent < 0 else {
            return sign + digits + String(repeating: "0", count: mantissa == 0 ? 0 : exponent)
        }
        let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
        return sign + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
    }

    /// Appends the decimal whose digits are `text`; false, with nothing appended, when that is
    /// not a decimal of ours.
    static func append(_ text: UnsafeRawBufferPointer, to writer: inout CBORWriter) -> Bool {
        guard text.count <= exponentMax + 50 else { return false }
        let isNegative = text.first == UInt8(ascii: "-")
        var magnitude: UInt128 = 0
        var exponent = 0
        var zeros = 0
        var isFraction = false
        var digitCount = 0
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            if byte == UInt8(ascii: "."), !isFraction, digitCount > 0 {
                isFraction = true
                continue
            }
            guard (0x30...0x39).contains(byte) else { return false }
            digitCount += 1
            if isFraction { exponent -= 1 }
            // Zeros wait until a digit follows, so that trailing ones never overflow.
            if byte == 0x30 {
                zeros += 1
                continue
            }
            guard let next = shifted(magnitude, by: magnitude == 0 ? 1 : zeros + 1) else {
                return false
            }
            magnitude = next + UInt128(byte - 0x30)
            zeros = 0
        }
        guard digitCount > 0, magnitude <= UInt128(Int128.max) else { return false }
        writer.appendTag(CBORFormat.Tag.decimal)
        writer.appendArrayHead(2)
        writer.append(Int64(magnitude == 0 ? 0 : exponent + zeros))
        writer.append(isNegative ? -Int128(magnitude) : Int128(magnitude))
        return true
    }

    /// `value` with `count` decimal zeros behind it; nil when it does not fit.
    private static func shifted(_ value: UInt128, by count: Int) -> UInt128? {
        var value = value
        for _ in 0..<count {
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            if isTooLarge { return nil }
            value = product
        }
        // Room for the digit that is added next.
        return value <= UInt128.max - 9 ? value : nil
    }
}
