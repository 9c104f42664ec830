import Foundation
import TestSupport
import Testing

@testable import Skyros

/// The order of records without a sort, and of all ties.
@Suite struct `The order of ids` {
    private func expectOrder(
        _ ascending: [FieldValue], location: SourceLocation = #_sourceLocation
    ) throws {
        let ids = try ascending.map { try RecordID($0) }
        for (place, id) in ids.enumerated() {
            for (other, otherID) in ids.enumerated() {
                #expect((id < otherID) == (place < other), sourceLocation: location)
            }
        }
    }

    @Test func `of integers is that of their values (F67)`() throws {
        let texts = ["-170141183460469231731687303715884105728", "-18446744073709551617"]
        let large = texts.compactMap { Int128($0).map { FieldValue.integer($0) } }
        try expectOrder(
            large + [
                .integer(-1000), -2, -1, 0, 1, 23, 24, 255, 256, 65_536, .integer(1 << 64),
                .integer(.max),
            ])
    }

    @Test func `of numbers is that of their values, then of their bytes`() throws {
        try expectOrder([
            .double(-.infinity), -2, -1.5, -1, .double(-0.5), 0, .double(0), .double(-0.0),
            .double(0.5), 1, .double(1), 1.5, 2, .double(.infinity), .double(.nan),
        ])
    }

    @Test func `of texts is that of their UTF-8, whatever their length`() throws {
        let long = String(repeating: "b", count: 30)
        try expectOrder([
            "", "\0", "aa", "aaa", "ab", .text("b"), .text(long), .text(long + "a"), "c",
            "e\u{301}", "\u{E9}", "\u{E9}b", "\u{FFFF}", "\u{10000}",
        ])
    }

    @Test func `of arrays and maps is that of their elements`() throws {
        try expectOrder([
            .null, false, true, 7, "7", .bytes(Data([7])), .bytes(Data([7, 0])),
            .bytes(Data([8])), .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))),
            .date(.distantPast), .date(.distantFuture), [], [1], [1, "aa"], [1, "b"], [2], [[]],
            [:], ["b": 1], ["z": 1], ["a": 1, "b": 0], ["a": 1, "b": 2], ["zz": 2],
            .tagged(32, "b:"), .tagged(32, "http://a"), .tagged(33, 1),
        ])
    }

    @Test func `is total, for random values and for bytes that are no value`() throws {
        var random = RandomSource(seed: 4_715)
        var ids = try (0..<150).map { _ in try RecordID(random.value()) }
        ids += (0..<20).map { _ in
            let bytes = (0...random.below(30)).map { _ in UInt8(0x40 + random.below(190)) }
            return RecordID(ByteString(bytes))
        }
        let sorted = ids.sorted()
        for (place, id) in sorted.enumerated() {
            #expect(!(id < id))
            for other in sorted[(place + 1)...] {
                #expect(!(other < id))
                #expect((id < other) == (id != other))
            }
        }
    }
}
