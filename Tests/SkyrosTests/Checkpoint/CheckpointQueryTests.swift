import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A SQL client` {
    private let directory: CheckpointDirectory
    private typealias Value = CheckpointValue

    init() throws {
        directory = try CheckpointDirectory()
    }

    private func write(_ records: [[(String, [UInt8])]]) throws {
        let rows = records.enumerated().map { index, fields in
            CheckpointDirectory.Row("Order", Int64(index) + 1, Value.map(fields))
        }
        try directory.open().write(rows)
        #expect(try directory.open(readOnly: true).rows() == rows)
    }

    @Test func `sees every kind of value in a form of use`() throws {
        let uuid = UUID(
            uuid: (0xF8, 0x1D, 0x4F, 0xAE, 0x7D, 0xEC, 0x11, 0xD0, 1, 2, 3, 4, 5, 6, 7, 8))
        try write([
            [
                ("id", Value.uuid(uuid)), ("count", Value.integer(-5)), ("price", Value.real(9.5)),
                ("name", Value.text("Nonna's")), ("open", Value.bool(true)),
                ("data", Value.bytes([1, 0xAB])), ("when", Value.date(86_400.5)),
                ("site", Value.url("https://a.b/")), ("total", Value.decimal(-2, -1205)),
                ("tags", Value.array([Value.text("a\"b"), Value.integer(2)])),
                ("address", Value.map([("city", Value.text("Rome")), ("zip", Value.null)])),
            ]
        ])
        let types = try directory.query(
            """
            SELECT typeof(id), typeof(count), typeof(price), typeof(name), typeof(open),
            typeof(data), typeof("when"), typeof(site), typeof(total), typeof(tags),
            typeof(_id), typeof(_record) FROM "Order"
            """)
        #expect(
            types == [
                [
                    "text", "integer", "real", "text", "integer", "blob", "real", "text", "text",
                    "text", "blob", "blob",
                ]
            ])
        let values = try directory.query(
            """
            SELECT id, count, price, name, open, hex(data), "when", site, total, tags, address,
            hex(_id), datetime("when" + 978307200, 'unixepoch'), json_extract(tags, '$[0]'),
            address ->> 'city', CAST(total AS REAL) FROM "Order"
            """)
        #expect(
            values == [
                [
                    "f81d4fae-7dec-11d0-0102-030405060708", "-5", "9.5", "Nonna's", "1", "01AB",
                    "86400.5", "https://a.b/", "-12.05", "[\"a\\\"b\",2]",
                    "{\"city\":\"Rome\",\"zip\":null}", "01", "2001-01-02 00:00:00", "a\"b",
                    "Rome", "-12.05",
                ]
            ])
    }

    @Test func `sees no copy of an id that is a field`() throws {
        let record = Value.map([("id", Value.integer(7)), ("a", Value.null)])
        let rows = [CheckpointDirectory.Row("Order", 1, id: Value.integer(7), record)]
        try directory.open().write(rows)
        #expect(try directory.query("SELECT _row, _id, id FROM \"Order\"") == [["1", "NULL", "7"]])
        let names = try directory.query("SELECT name FROM pragma_table_info('Order')")
        #expect(
            names == [
                ["_row"], ["_sequence"], ["_version"], ["_sum"], ["_id"], ["_record"], ["id"],
            ])
    }

    @Test(arguments: [
        (Value.integer(1), Value.integer(Int128(UInt64.max)), "1.84467440737096e+19"),
        (Value.integer(1), Value.real(2.0), "2"), (Value.integer(1), Value.real(2.5), "2.5"),
        (Value.bool(true), Value.integer(9_007_199_254_740_993), "9007199254740993"),
        (Value.bool(true), Value.integer(Int128(Int64.max)), "9223372036854775807"),
        (Value.integer(1), Value.decimal(0, 9_007_199_254_740_993), "9007199254740993"),
        (Value.integer(1), Value.decimal(0, Int128(Int64.min)), "-9223372036854775808"),
        (Value.bool(true), Value.decimal(-1, 90_071_992_547_409_930), "9007199254740993"),
        (Value.integer(1), Value.decimal(18, 9), "9000000000000000000"),
        (Value.integer(1), Value.decimal(19, 1), "1.0e+19"),
        (Value.integer(1), Value.decimal(-1, 25), "2.5"),
        (Value.integer(1), Value.decimal(9, 0), "0"),
        (Value.integer(1), Value.decimal(-5, 4_722_366_482_869_645_213_697), "47223664828696456"),
        (Value.integer(1), Value.decimal(.max, 1), "Inf"),
        (Value.integer(1), Value.decimal(.min, 1), "0"),
        (Value.integer(1), Value.text("12"), "NULL"), (Value.integer(1), Value.bool(true), "1"),
        (Value.bool(true), Value.integer(7), "7"), (Value.bool(true), Value.null, "NULL"),
        (Value.real(1), Value.real(-0.0), "0.0"), (Value.real(1), Value.real(.nan), "NULL"),
        (Value.real(1), Value.integer(3), "3.0"), (Value.real(1), Value.decimal(-1, 15), "1.5"),
        (Value.date(1), Value.date(.nan), "NULL"), (Value.date(1), Value.integer(9), "9.0"),
        (Value.text("a"), Value.text("b\0c"), "b\u{FFFD}c"),
        (Value.text("a"), Value.integer(5), "5"),
        (Value.text("a"), Value.real(.nan), "NaN"), (Value.text("a"), Value.bool(false), "false"),
        (Value.text("a"), Value.decimal(1, 5), "50"),
        (Value.text("a"), Value.bytes([1, 2]), "AQI="),
        (Value.text("a"), Value.url("u:v"), "u:v"),
        (Value.text("a"), Value.array([Value.text("x")]), "[\"x\"]"),
        (Value.bytes([1]), Value.text("a"), "NULL"),
        (Value.array([]), Value.text("a\"b"), "\"a\\\"b\""),
        (
            Value.array([]), Value.array([Value.real(.infinity), Value.date(2)]),
            "[\"Infinity\",\"2001-01-01T00:00:02Z\"]"
        ),
        (Value.array([]), Value.array([Value.bytes([1, 2])]), "[\"AQI=\"]"),
        (Value.array([]), Value.tagged(99, Value.integer(1)), "{\"tag\":99,\"value\":1}"),
        (Value.array([]), Value.array([Value.integer(.max)]), "[\(Int128.max)]"),
        (Value.decimal(0, 1), Value.text("two"), "two"), (Value.url("a:b"), Value.null, "NULL"),
    ])
    func `sees the nearest thing where a column cannot hold the value`(
        first: [UInt8], second: [UInt8], expected: String
    ) throws {
        try write([[("a", first)], [("a", second)]])
        let values = try directory.query("SELECT a FROM \"Order\" WHERE _row = 2")
        #expect(values == [[expected]])
    }

    @Test func `returns the position and the digest of the checkpoint`() throws {
        let database = try directory.open()
        let description = try database.write([
            .init("Order", 1, Value.map([])), .init("order", 1, Value.map([])),
        ])
        #expect(
            try directory.query(
                "SELECT format, store, sequence, chain, time, digest FROM _skyros")
                == [
                    [
                        "7", "000102030405060708090a0b0c0d0e0f", "42", "fedcba9876543210",
                        "1700000000000000", description.digest.description,
                    ]
                ])
        let entities = try directory.query(
            "SELECT entity, table_name, row_count FROM _skyros_entities")
        #expect(entities == [["Order", "Order", "1"], ["order", "order~1", "1"]])
        #expect(try directory.query("PRAGMA application_id") == [["\(0x536B_7972)"]])
        #expect(try directory.query("PRAGMA user_version") == [["7"]])
    }
}
