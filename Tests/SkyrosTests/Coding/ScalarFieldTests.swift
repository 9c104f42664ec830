import Foundation
import Skyros
import Testing

/// The compiler's `Codable` calls another method of a container for each of these types.
private struct Scalars: Codable, Equatable {
    var bool = true
    var text = "é"
    var double = 0.1
    var float: Float = 0.1
    var int = Int.min
    var int8 = Int8.min
    var int16 = Int16.min
    var int32 = Int32.min
    var int64 = Int64.min
    var int128 = Int128.min
    var uint = UInt.max
    var uint8 = UInt8.max
    var uint16 = UInt16.max
    var uint32 = UInt32.max
    var uint64 = UInt64.max
    var uint128 = UInt128(UInt64.max) + 1
}

private struct OptionalScalars: Codable, Equatable {
    var bool: Bool?
    var text: String?
    var double: Double?
    var float: Float?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var int128: Int128?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var uint128: UInt128?
}

/// Writes and reads the values one after the other, without keys.
private struct Row: Codable, Equatable {
    var scalars = Scalars()

    init() {}

    func encode(to encoder: any Encoder) throws {
        var row = encoder.unkeyedContainer()
        try row.encode(scalars.bool)
        try row.encode(scalars.text)
        try row.encode(scalars.double)
        try row.encode(scalars.float)
        try row.encode(scalars.int)
        try row.encode(scalars.int8)
        try row.encode(scalars.int16)
        try row.encode(scalars.int32)
        try row.encode(scalars.int64)
        try row.encode(scalars.int128)
        try row.encode(scalars.uint)
        try row.encode(scalars.uint8)
        try row.encode(scalars.uint16)
        try row.encode(scalars.uint32)
        try row.encode(scalars.uint64)
        try row.encode(scalars.uint128)
        try row.encodeNil()
    }

    init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        scalars.bool = try row.decode(Bool.self)
        scalars.text = try row.decode(String.self)
        scalars.double = try row.decode(Double.self)
        scalars.float = try row.decode(Float.self)
        scalars.int = try row.decode(Int.self)
        scalars.int8 = try row.decode(Int8.self)
        scalars.int16 = try row.decode(Int16.self)
        scalars.int32 = try row.decode(Int32.self)
        scalars.int64 = try row.decode(Int64.self)
        scalars.int128 = try row.decode(Int128.self)
        scalars.uint = try row.decode(UInt.self)
        scalars.uint8 = try row.decode(UInt8.self)
        scalars.uint16 = try row.decode(UInt16.self)
        scalars.uint32 = try row.decode(UInt32.self)
        scalars.uint64 = try row.decode(UInt64.self)
        scalars.uint128 = try row.decode(UInt128.self)
        guard try row.decodeNil(), row.isAtEnd else {
            throw DecodingError.dataCorruptedError(in: row, debugDescription: "there is more")
        }
    }
}

/// Raw values stand in a container of a single value.
private enum Small: Int16, Codable, CaseIterable { case least = -300, most = 300 }
private enum Large: UInt64, Codable, CaseIterable { case most = 18_446_744_073_709_551_615 }
private enum Part: Double, Codable, CaseIterable { case half = 0.5 }
private enum Byte: UInt8, Codable, CaseIterable { case most = 255 }
private enum Word: Int32, Codable, CaseIterable { case least = -70_000 }

@Suite struct `A scalar of any type` {
    private func comesBack<T: Codable & Equatable>(_ value: T) throws -> Bool {
        try FieldValue(value).decode(as: T.self) == value
    }

    @Test func `comes back from a field`() throws {
        #expect(try comesBack(Scalars()))
        let value = try FieldValue(Scalars())
        #expect(value.map?.count == 16)
        #expect(value["int16"]?.integer == -32_768)
        #expect(value["uint32"]?.integer == 4_294_967_295)
        #expect(value["int128"] == .integer(.min))
    }

    @Test func `comes back from a field that may be nil`() throws {
        let full = try FieldValue(Scalars()).decode(as: OptionalScalars.self)
        #expect(full.uint128 == Scalars().uint128)
        #expect(try comesBack(full))
        #expect(try FieldValue(full) == FieldValue(Scalars()))
        #expect(try comesBack(OptionalScalars()))
        #expect(try FieldValue(OptionalScalars()) == .map([:]))
    }

    @Test func `is read back from a row`() throws {
        #expect(try comesBack(Row()))
        #expect(try FieldValue(Row()).array?.count == 17)
    }

    @Test func `comes back from a raw value`() throws {
        #expect(try comesBack(Small.allCases))
        #expect(try comesBack(Large.allCases))
        #expect(try comesBack(Part.allCases))
        #expect(try comesBack(Byte.allCases))
        #expect(try comesBack(Word.allCases))
    }

    @Test func `is refused by a type that is too small for it`() throws {
        struct Narrow: Decodable { var int16: Int8 }
        struct Unsigned: Decodable { var int: UInt }
        struct NarrowOptional: Decodable { var uint64: Int64? }
        let value = try FieldValue(Scalars())
        #expect(throws: DecodingError.self) { try value.decode(as: Narrow.self) }
        #expect(throws: DecodingError.self) { try value.decode(as: Unsigned.self) }
        #expect(throws: DecodingError.self) { try value.decode(as: NarrowOptional.self) }
    }
}
