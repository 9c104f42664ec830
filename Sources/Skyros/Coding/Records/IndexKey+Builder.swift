import Foundation

extension IndexKey {
    /// Builds a key, component by component.
    struct Builder: ~Copyable {
        var bytes = CBORWriter(capacity: 128)
        /// Whether all values so far are those that their fields expect.
        private(set) var isExpected = true
        /// Whether the key has the order of the values, see `IndexKey.Checked`.
        private(set) var isRegular = true
        /// Whether no value so far is null or absent.
        private(set) var isComplete = true

        var key: ByteString { bytes.withUnsafeBytes { ByteString($0) } }

        /// Appends the component of a field's value, and checks whether it is expected.
        mutating func append(
            _ range: Range<Int>, of record: UnsafeRawBufferPointer, _ expected: ExpectedValue
        ) throws(CBORError) {
            let start = bytes.count
            try append(range, of: record)
            let rank = bytes.base.load(fromByteOffset: start, as: UInt8.self)
            if !expected.allows(rank) { isExpected = false }
        }

        /// Appends the component of the value at `range`; an empty range counts as null.
        mutating func append(
            _ range: Range<Int>, of record: UnsafeRawBufferPointer
        ) throws(CBORError) {
            guard !range.isEmpty else { return appendNull() }
            let value = UnsafeRawBufferPointer(rebasing: record[range])
            var reader = CBORReader(value)
            switch try reader.peekType() {
            case .unsigned, .negative: try appendInteger(&reader)
            case .text: try appendText(reader.readUTF8())
            case .bytes:
                append(rank: Rank.bytes)
                append(escaped: try reader.readBytes())
            case .simple: try appendSimple(&reader)
            case .tag: try appendTagged(&reader, value)
            case .array, .map:
                append(rank: Rank.other)
                append(escaped: value)
            }
        }

        private mutating func append(rank: UInt8) {
            bytes.reserve(32)
            bytes.store(rank)
        }

        private mutating func appendNull() {
            isComplete = false
            append(rank: Rank.null)
        }

        // MARK: Simple values

        private mutating func appendSimple(_ reader: inout CBORReader) throws(CBORError) {
            switch try reader.peekByte() {
            case CBORFormat.Byte.null: appendNull()
            case CBORFormat.Byte.false: append(rank: Rank.false)
            case CBORFormat.Byte.true: append(rank: Rank.true)
            default: append(number: try reader.readDouble())
            }
        }

        private mutating func append(number: Double) {
            guard !number.isNaN else { return append(rank: Rank.nan) }
            append(rank: Rank.number)
            bytes.store(bigEndian: Self.sortable(number))
            bytes.store(0)
        }

        /// Bits that, as an unsigned integer, have the order of the numbers; -0 is 0.
        private static func sortable(_ number: Double) -> UInt64 {
            let bits = (number == 0 ? 0 : number).bitPattern
            // Negative numbers sort backwards and before the others.
            return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        }

        // MARK: Integers

        private mutating func appendInteger(_ reader: inout CBORReader) throws(CBORError) {
            let (magnitude, isNegative) = try reader.readSignedMagnitude()
            append(rank: Rank.number)
            guard magnitude >> 53 != 0 else {
                let float = Double(UInt64(truncatingIfNeeded: magnitude))
                bytes.store(bigEndian: Self.sortable(isNegative ? -float : float))
                bytes.store(0)
                return
            }
            appendLarge(magnitude, isNegative)
        }

        /// Appends an integer of more than 53 bits: the next lower float, and the difference to
        /// it.
        private mutating func appendLarge(_ magnitude: UInt128, _ isNegative: Bool) {
            let shift = UInt128.bitWidth - magnitude.leadingZeroBitCount - 53
            let unit = UInt128(1) << UInt128(shift)
            let excess = magnitude & (unit - 1)
            let digits = UInt64(truncatingIfNeeded: magnitude >> UInt128(shift))
            let float = Double(sign: .plus, exponent: shift, significand: Double(digits))
            // Below is toward zero for a positive number and away from it for a negative.
            let isExact = excess == 0
            let rounded = !isNegative ? float : isExact ? -float : -float.nextUp
            let rest = isNegative && !isExact ? unit - excess : excess
            let size = 16 - rest.leadingZeroBitCount / 8
            bytes.store(bigEndian: Self.sortable(rounded))
            bytes.store(UInt8(truncatingIfNeeded: size))
            for index in (0..<size).reversed() {
                bytes.store(UInt8(truncatingIfNeeded: rest >> UInt128(8 * index)))
            }
        }

        // MARK: Tags

        private mutating func appendTagged(
            _ reader: inout CBORReader, _ value: UnsafeRawBufferPointer
        ) throws(CBORError) {
            var content = reader
            switch try content.readTag() {
            case CBORFormat.Tag.uuid where value.count == 19:
                let uuid = try reader.readUUID()
                append(rank: Rank.uuid)
                withUnsafeBytes(of: uuid.uuid) { bytes.store($0) }
            case CBORFormat.Tag.date where (try? content.readDouble()) != nil:
                let seconds = try reader.readDate().timeIntervalSinceReferenceDate
                guard !seconds.isNaN else {
                    isRegular = false
                    return append(rank: Rank.noDate)
                }
                append(rank: Rank.date)
                bytes.store(bigEndian: Self.sortable(seconds))
            case CBORFormat.Tag.positiveBignum where fits(reader),
                CBORFormat.Tag.negativeBignum where fits(reader):
                try appendInteger(&reader)
            default:
                append(rank: Rank.other)
                append(escaped: value)
            }
        }

        /// Whether a bignum's magnitude fits 128 bits.
        private func fits(_ reader: CBORReader) -> Bool {
            var reader = reader
            return (try? reader.readSignedMagnitude()) != nil
        }

        // MARK: Strings

        private mutating func appendText(_ utf8: UnsafeRawBufferPointer) throws(CBORError) {
            append(rank: Rank.text)
            if utf8.isPlain { return appendUnescaped(utf8) }
            // All scalars below U+0300, whose UTF-8 has no byte from CC on, are in normal form.
            if utf8.allSatisfy({ $0 < 0xCC }) { return append(escaped: utf8) }
            guard let text = String(validUTF8: utf8) else {
                throw CBORError(.invalidText, at: 0)
            }
            switch NormalForm(of: text) {
            case .normal: append(escaped: utf8)
            case .other(var normal):
                isRegular = false
                normal.withUTF8Bytes { append(escaped: $0) }
            case .doubtful:
                (isRegular, isExpected) = (false, false)
                append(escaped: utf8)
            }
        }

        /// Appends bytes in escaped form, and the end mark. O(n).
        private mutating func append(escaped string: UnsafeRawBufferPointer) {
            bytes.reserve(2 * string.count + 1)
            for byte in string {
                if byte > 1 {
                    bytes.store(byte)
                } else {
                    bytes.store(1)
                    bytes.store(byte + 1)
                }
            }
            bytes.store(0)
        }

        /// Appends bytes that are the same in escaped form, and the end mark. O(n).
        private mutating func appendUnescaped(_ string: UnsafeRawBufferPointer) {
            bytes.reserve(string.count + 1)
            bytes.store(string)
            bytes.store(0)
        }
    }
}
