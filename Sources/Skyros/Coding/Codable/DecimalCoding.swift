import Foundation

extension CBORWriter {
    /// Tag 4 and `[exponent, mantissa]`, without trailing zeros; NaN is the float NaN.
    ///
    /// Returns false and appends nothing for a mantissa beyond 128 bits, which `Decimal` does not
    /// make.
    mutating func append(_ decimal: Decimal) -> Bool {
        if decimal.isNaN {
            append(Double.nan)
            return true
        }
        // The mantissa's words are not accessible on every platform; its digits are.
        guard var mantissa = UInt128(decimal.significand.magnitude.description) else {
            return false
        }
        var exponent = mantissa == 0 ? 0 : decimal.exponent
        while mantissa != 0, mantissa.isMultiple(of: 10) {
            mantissa /= 10
            exponent += 1
        }
        appendTag(CBORFormat.Tag.decimal)
        appendArrayHead(2)
        append(Int64(exponent))
        if decimal.sign == .minus, mantissa > 0 {
            appendNegated(mantissa)
        } else {
            append(mantissa)
        }
        return true
    }
}

extension CBORReader {
    /// The decimal that `CBORWriter.append(_: Decimal)` wrote, or any that `Decimal` can hold.
    mutating func readDecimal() throws(CBORError) -> Decimal {
        let start = offset
        if try peekType() == .simple {
            guard try readDouble().isNaN else { throw CBORError(.doesNotFit, at: start) }
            return .nan
        }
        let parts = try readDecimalParts()
        guard var exponent = Int(exactly: parts.exponent) else {
            throw CBORError(.doesNotFit, at: start)
        }
        // Stripping zeros may have raised the exponent above what `Decimal` holds.
        var mantissa = parts.mantissa
        while exponent > 127, mantissa != 0 {
            let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
            guard !overflow else { throw CBORError(.doesNotFit, at: start) }
            mantissa = product
            exponent -= 1
        }
        guard exponent >= -128 else { throw CBORError(.doesNotFit, at: start) }
        if mantissa == 0 { return 0 }
        let high = Decimal(UInt64(mantissa >> 64))
        let low = Decimal(UInt64(truncatingIfNeeded: mantissa))
        let significand = high * Decimal(sign: .plus, exponent: 0, significand: twoTo64) + low
        let sign: FloatingPointSign = parts.isNegative ? .minus : .plus
        let decimal = Decimal(sign: sign, exponent: exponent, significand: significand)
        if !decimal.isNaN { return decimal }
        // `Decimal` has stripped zeros of the significand, and the exponent became too large.
        let text = "\(parts.isNegative ? "-" : "")\(mantissa)e\(exponent)"
        guard let exact = Decimal(string: text), !exact.isNaN else {
            throw CBORError(.doesNotFit, at: start)
        }
        return exact
    }

    private var twoTo64: Decimal { Decimal(UInt64.max) + 1 }

    /// The content of tag 4.
    struct DecimalParts {
        let exponent: Int64
        let mantissa: UInt128
        let isNegative: Bool
    }

    /// Reads tag 4 and its content, with a mantissa of up to 128 bits.
    mutating func readDecimalParts() throws(CBORError) -> DecimalParts {
        let start = offset
        try expectTag(CBORFormat.Tag.decimal)
        guard try readArrayHead() == 2 else {
            throw CBORError(.invalidTagContent(CBORFormat.Tag.decimal), at: start)
        }
        let exponent = try readInteger(Int64.self)
        let mantissa = try readSignedMagnitude()
        return DecimalParts(
            exponent: exponent, mantissa: mantissa.magnitude, isNegative: mantissa.isNegative)
    }
}
