import TestSupport
import Testing

@testable import Skyros

/// Ids, rows and hash functions that the tests of the containers share.
enum StateFixtures {
    /// An id of four bytes; ids compare as their numbers do.
    static func id(_ number: Int) -> RecordID {
        RecordID(key(number))
    }

    /// A key of four bytes; keys compare as their numbers do.
    static func key(_ number: Int) -> ByteString {
        ByteString((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }

    /// A row whose `number` distinguishes versions of the same id.
    static func row(_ number: Int, hash: UInt64, version: Int = 0) -> Row {
        Row(id: id(number), hash: hash, number: UInt64(version), bytes: [0xA0])
    }

    static func mixed(_ number: Int) -> UInt64 {
        var source = RandomSource(seed: UInt64(number))
        return source.next()
    }
}

/// A way to give a hash to the number of a row, good or bad.
struct HashChoice: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let hash: @Sendable (Int) -> UInt64

    static let all = [
        HashChoice(testDescription: "well mixed") { StateFixtures.mixed($0) },
        HashChoice(testDescription: "the number itself") { UInt64($0) },
        HashChoice(testDescription: "same low bits") { StateFixtures.mixed($0) << 40 },
        HashChoice(testDescription: "same high bits") { StateFixtures.mixed($0) >> 48 },
        HashChoice(testDescription: "four hashes for all") { StateFixtures.mixed($0 % 4) },
        HashChoice(testDescription: "all equal") { _ in 0xFFFF_FFFF_FFFF_FFFF },
        HashChoice(testDescription: "equal but for the last bits") { UInt64($0) << 59 },
        HashChoice(testDescription: "all in one slot of each level") { UInt64($0 % 2) << 63 },
    ]
}
