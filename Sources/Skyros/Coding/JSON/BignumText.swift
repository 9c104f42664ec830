import Foundation

/// The decimal digits of integers of any size, and back.
enum BignumText {
    /// Both directions take time in the square of the size, so it is limited; an integer of
    /// 1,024 bytes has 2,466 digits.
    static let bytesMax = 1_024
    static let digitsMax = 2_466

    /// The digits of `magnitude + summand`, given as big-endian bytes; nil beyond `bytesMax`.
    static func digits(of magnitude: Data, plus summand: UInt64 = 0) -> String? {
        guard magnitude.count <= bytesMax else { return nil }
        // Groups of nine digits, the least significant first.
        let base: UInt64 = 1_000_000_000
        var groups: [UInt64] = [0]
        func shiftAndAdd(_ factor: UInt64, _ summand: UInt64) {
            var carry = summand
            for index in groups.indices {
                let sum = groups[index] * factor + carry
                groups[index] = sum % base
                carry = sum / base
            }
            if carry > 0 { groups.append(carry) }
        }
        for byte in magnitude { shiftAndAdd(256, UInt64(byte)) }
        if summand > 0 { shiftAndAdd(1, summand) }
        let head = String(groups[groups.count - 1])
        return groups.dropLast().reversed().reduce(into: head) { text, group in
            let digits = String(group)
            text += String(repeating: "0", count: 9 - digits.count) + digits
        }
    }

    /// The big-endian bytes of `digits - difference`, without leading zeros; nil beyond
    /// `digitsMax`. `difference` is 0 or 1, and not greater than the number.
    static func magnitude(of digits: some StringProtocol, minus difference: UInt8 = 0) -> Data? {
        guard digits.utf8.count <= digitsMax else { return nil }
        // The least significant byte first.
        var bytes: [UInt8] = []
        for digit in digits.utf8 {
            var carry = Int(digit) - 0x30
            for index in bytes.indices {
                let sum = Int(bytes[index]) * 10 + carry
                bytes[index] = UInt8(truncatingIfNeeded: sum)
                carry = sum >> 8
            }
            if carry > 0 { bytes.append(UInt8(carry)) }
        }
        var borrow = difference
        for index in bytes.indices where borrow > 0 {
            borrow = bytes[index] == 0 ? 1 : 0
            bytes[index] &-= 1
        }
        while bytes.last == 0 { bytes.removeLast() }
        return Data(bytes.reversed())
    }
}
