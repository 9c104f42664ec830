import Foundation
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

@Suite struct `Text in a checkpoint's columns` {
    @Test func `is a UUID's 36 lowercase characters`() {
        var seed = RandomSource(seed: 1)
        for _ in 0..<200 {
            let words = (seed.next(), seed.next())
            let uuid = withUnsafeBytes(of: words) { UUID(uuid: $0.load(as: uuid_t.self)) }
            #expect(uuid.text == uuid.uuidString.lowercased())
        }
    }

    @Test(arguments: ["", "0", "00", "000g", "00FF", "00ff0", "+100", " 100", "0x00", "00ﬀ"])
    func `is read as hex digits only if it is written like them`(text: String) {
        #expect(HexText.bytes(text, count: 2) == nil)
        #expect(HexText.number(text + "000000000000") == nil)
        #expect(HexText.bytes("00ff", count: 2) == [0, 255])
        #expect(HexText.number("00000000000001ff") == 511)
    }

    @Test func `is plain when it is UTF-8 without NUL, wherever the odd byte is`() {
        for count in 0..<40 {
            var bytes = [UInt8](repeating: 0x61, count: count)
            #expect(bytes.withUnsafeBytes { SQLiteText.isPlain($0) })
            for index in 0..<count {
                bytes[index] = 0
                #expect(!bytes.withUnsafeBytes { SQLiteText.isPlain($0) })
                bytes[index] = 0xFF
                #expect(!bytes.withUnsafeBytes { SQLiteText.isPlain($0) })
                bytes[index] = 0x61
            }
        }
        #expect(Array("κύμα 🌊 and more".utf8).withUnsafeBytes { SQLiteText.isPlain($0) })
    }
}
