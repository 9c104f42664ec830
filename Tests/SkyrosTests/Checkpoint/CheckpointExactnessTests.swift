import Testing

@testable import Skyros

@Suite struct `A checkpoint gives back` {
    private let directory: CheckpointDirectory

    init() throws {
        directory = try CheckpointDirectory()
    }

    private func expectRoundTrip(_ rows: [CheckpointDirectory.Row]) throws {
        let database = try directory.open()
        let description = try database.write(rows)
        #expect(try database.rows() == rows)
        #expect(description.digest == StateDigest(rows))
        try database.close()
        let reopened = try directory.open(readOnly: true)
        #expect(try reopened.rows() == rows)
        #expect(try reopened.description() == description)
    }

    @Test(arguments: CheckpointValue.all.indices)
    func `every value in a column that another value has decided`(first: Int) throws {
        let values = CheckpointValue.all
        let order = [values[first]] + values
        let rows = order.enumerated().map { number, value in
            CheckpointDirectory.Row("Thing", Int64(number), CheckpointValue.map([("field", value)]))
        }
        try expectRoundTrip(rows)
    }

    @Test func `every value beside all others in one record`() throws {
        let fields = CheckpointValue.all.enumerated().map { ("field \($0)", $1) }
        let whole = CheckpointValue.map(fields)
        let half = CheckpointValue.map(fields.filter { $0.0.utf8.count % 2 == 0 })
        let rows = [whole, half, CheckpointValue.map([]), whole].enumerated().map {
            CheckpointDirectory.Row("Thing", Int64($0), $1)
        }
        try expectRoundTrip(rows)
    }

    @Test(arguments: CheckpointValue.all.indices)
    func `an id that is the record's own field, and one that is not`(index: Int) throws {
        let value = CheckpointValue.all[index]
        let other = CheckpointValue.text("another")
        let record = CheckpointValue.map([("id", value), ("a", value), ("name", other)])
        try expectRoundTrip([
            .init("Own", 1, id: value, record), .init("Own", 2, id: other, record),
            .init("Own", 3, id: value, CheckpointValue.map([("a", value)])),
            .init("Own", 4, id: value, CheckpointValue.map([])),
        ])
    }

    @Test func `rows in the order of their numbers, whatever these are`() throws {
        let numbers: [Int64] = [.min, -7, 0, 3, .max]
        try expectRoundTrip(numbers.map { .init("Thing", $0, CheckpointValue.map([])) })
        let database = try directory.open()
        try database.write(numbers.reversed().map { .init("Later", $0, CheckpointValue.map([])) })
        let later = try database.rows().filter { $0.entity == "Later" }
        #expect(later.map(\.number) == numbers)
    }

    @Test func `a record of 600 fields`() throws {
        let fields = (0..<600).map { ("field\($0)", CheckpointValue.integer(Int128($0))) }
        let rest = [("field599", CheckpointValue.text("other")), ("g", CheckpointValue.null)]
        let wide = CheckpointValue.map(fields)
        try expectRoundTrip([
            .init("Wide", 1, wide), .init("Wide", 2, CheckpointValue.map(rest)),
            .init("Wide", 3, wide),
        ])
        let columns = try directory.query("SELECT count(*) FROM _skyros_columns")
        #expect(columns == [["500"]])
    }

    /// No encoder of ours writes these; a checkpoint keeps bytes, not values.
    @Test(arguments: [
        [0xA1, 0x61, 0x61, 0x18, 0x01], [0xA1, 0x61, 0x61, 0x78, 0x01, 0x61],
        [0xA1, 0x61, 0x61, 0xFB, 0, 0, 0, 0, 0, 0, 0, 0],
        [0xA1, 0x61, 0x61, 0xFA, 0x7F, 0xC0, 0, 1],
        [0xA1, 0x61, 0x61, 0xA2, 0x61, 0x62, 0x01, 0x61, 0x61, 0x01],
    ])
    func `a record of an odd shape, byte for byte`(record: [UInt8]) throws {
        let usual = CheckpointValue.map([("a", CheckpointValue.integer(1))])
        try expectRoundTrip([.init("Odd", 1, record), .init("Odd", 2, usual)])
        try expectRoundTrip([.init("Odd", 1, usual), .init("Odd", 2, record)])
    }

    @Test func `the sequence of each row's newest event`() throws {
        var rows = (1...4).map { CheckpointDirectory.Row("Thing", $0, CheckpointValue.map([])) }
        for index in rows.indices { rows[index].sequence = UInt64(40 + index) }
        try expectRoundTrip(rows)
        rows[1].sequence = UInt64(Int64.max)
        let database = try directory.open()
        try database.write([rows[1]])
        #expect(try database.rows() == rows)
        let shown = try directory.query("SELECT _sequence FROM Thing")
        #expect(shown == [["40"], ["\(Int64.max)"], ["42"], ["43"]])
    }

    @Test func `the position to the last bit`() throws {
        var position = CheckpointDirectory.position
        position.sequence = UInt64(Int64.max)
        position.chainHash = .max
        position.timeMicroseconds = .min
        let database = try directory.open()
        #expect(try database.description() == nil)
        #expect(try database.load { _, _ in } == nil)
        let description = try database.write(CheckpointBatch(), at: position)
        #expect(description.position == position)
        #expect(try directory.open(readOnly: true).description() == description)
        position.sequence += 1
        #expect(throws: CheckpointError.limitExceeded("the sequence number \(position.sequence)")) {
            try database.write(CheckpointBatch(), at: position)
        }
    }

    @Test(arguments: [
        [0x01], [0xA1, 0x61, 0x61], [0xA1, 0x01, 0x01], [0xBF, 0xFF],
        [0xA2, 0x61, 0x62, 0x01, 0x61, 0x61, 0x01], [0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x01],
        [0xA1, 0x78, 0x01, 0x61, 0x01], [0xA0, 0x00], [0xA1, 0x61, 0xFF, 0x01],
    ])
    func `no record whose fields are not a map in canonical order: it refuses them`(record: [UInt8])
        throws
    {
        let good = CheckpointDirectory.Row("Thing", 1, CheckpointValue.map([]))
        let database = try directory.open()
        try database.write([good])
        let error = #expect(throws: CheckpointError.self) {
            try database.write([good, .init("Thing", 2, record)])
        }
        guard case .invalidRecord("Thing", 2, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try database.rows() == [good])
    }

    @Test func `a field that cannot be read, with NULL in its column`() throws {
        let wrongText = CheckpointDirectory.Row("Thing", 1, [0xA1, 0x61, 0x61, 0x61, 0xFF])
        let database = try directory.open()
        try database.write([wrongText])
        #expect(try database.rows() == [wrongText])
        #expect(try database.firstWrongColumn() == nil)
        #expect(try directory.query("SELECT typeof(a) FROM Thing") == [["null"]])
    }

    /// The memory is only reserved: the length alone decides.
    @Test func `no column of a record above 256 MiB, which would not fit a row of SQLite`() {
        let limit = 256 << 20
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + 1, alignment: 1)
        defer { memory.deallocate() }
        let value: [UInt8] = [0x07]
        value.withUnsafeBytes { value in
            for (byteCount, isShown) in [(limit, true), (limit + 1, false)] {
                let record = UnsafeRawBufferPointer(rebasing: memory[..<byteCount])
                let shown = ColumnValue.shown(value, of: record, in: .integer)
                if case .integer(7) = shown {
                    #expect(isShown)
                } else if case .null = shown {
                    #expect(!isShown)
                } else {
                    Issue.record("\(shown)")
                }
            }
        }
    }

    @Test func `no more of a record than a row of SQLite holds, however long its JSON is`() {
        // Five bytes each, and 131 with their quotes and comma.
        let long = CheckpointValue.array((0..<10).map { _ in CheckpointValue.decimal(127, 1) })
        let short = CheckpointValue.text("short")
        func shown(
            _ value: [UInt8], _ kind: ColumnKind, within bytesLeft: inout Int
        ) -> String? {
            value.withUnsafeBytes { value in
                switch ColumnValue.shown(value, of: value, in: kind, within: &bytesLeft) {
                case .text(let text): text
                case .utf8(let bytes): String(decoding: bytes, as: UTF8.self)
                default: nil
                }
            }
        }
        var bytesLeft = ColumnValue.rowBytesMax
        let byteCount = shown(long, .json, within: &bytesLeft)?.utf8.count
        #expect(byteCount.map { ColumnValue.rowBytesMax - $0 } == bytesLeft)
        #expect((byteCount ?? 0) > 20 * long.count)

        // The sum of a row counts: the second one no longer fits, and a shorter one does.
        bytesLeft = (byteCount ?? 0) + 10
        #expect(shown(long, .json, within: &bytesLeft) != nil)
        #expect(shown(long, .json, within: &bytesLeft) == nil)
        #expect(shown(long, .text, within: &bytesLeft) == nil)
        #expect(shown(short, .text, within: &bytesLeft) == "short")
        #expect(shown(short, .json, within: &bytesLeft) == nil)
        #expect(bytesLeft == 5)
    }
}
