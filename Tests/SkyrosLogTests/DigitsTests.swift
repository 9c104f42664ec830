import SkyrosLog
import Testing

@Suite struct `The digits of a number` {
    @Test func `have the requested count`() {
        #expect(UInt64(0).digits(20) == "00000000000000000000")
        #expect(UInt64.max.digits(20) == "18446744073709551615")
        #expect(UInt64(7).digits(2) == "07")
        #expect(UInt64(2026).digits(4) == "2026")
    }

    @Test func `have lowercase letters above nine`() {
        #expect(UInt64(0xABCDEF).digits(16, radix: 16) == "0000000000abcdef")
        #expect(UInt64.max.digits(16, radix: 16) == "ffffffffffffffff")
    }
}
