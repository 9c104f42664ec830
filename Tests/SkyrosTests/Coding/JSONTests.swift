import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The JSON of a value` {
    static let table: [(FieldValue, String)] = [
        (.null, "null"), (true, "true"), (false, "false"), (0, "0"), (-12, "-12"),
        (.integer(.max), "170141183460469231731687303715884105727"),
        (.integer(.min), "-170141183460469231731687303715884105728"),
        (
            .tagged(2, .bytes(Data(Array(repeating: 255, count: 16)))),
            "340282366920938463463374607431768211455"
        ),
        (
            .tagged(3, .bytes(Data(Array(repeating: 255, count: 16)))),
            "-340282366920938463463374607431768211456"
        ),
        (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e300, "1e+300"), (5e15, "5000000000000000.0"),
        (1e16, "1e+16"), (.double(0x1p-1074), "5e-324"),
        (.double(.nan), "\"NaN\""), (.double(.infinity), "\"Infinity\""),
        (.double(-.infinity), "\"-Infinity\""),
        ("", "\"\""), ("a\"b\\c/\n\r\t\u{1}é😀", "\"a\\\"b\\\\c/\\n\\r\\t\\u0001é😀\""),
        (.bytes(Data([0, 255, 16])), "\"AP8Q\""),
        (
            .uuid(UUID(uuid: (0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
            "\"ab010203-0405-0607-0809-0a0b0c0d0e0f\""
        ),
        (.date(Date(timeIntervalSinceReferenceDate: 0)), "\"2001-01-01T00:00:00Z\""),
        (.date(Date(timeIntervalSinceReferenceDate: -0.5)), "\"2000-12-31T23:59:59.5Z\""),
        (.date(Date(timeIntervalSinceReferenceDate: .nan)), "\"NaN\""),
        ([1, [2.5, .null], [:], []], "[1,[2.5,null],{},[]]"),
        (["b": 1, "aa": 2, "a": ["z": "y"]], "{\"a\":{\"z\":\"y\"},\"aa\":2,\"b\":1}"),
        (.tagged(32, "https://a.b"), "\"https://a.b\""),
        (.tagged(4, [-2, 27315]), "\"273.15\""), (.tagged(4, [-2, -5]), "\"-0.05\""),
        (.tagged(4, [3, 12]), "\"12000\""), (.tagged(4, [0, 0]), "\"0\""),
        (.tagged(4, [-2, 315]), "\"3.15\""), (.tagged(4, [-3, 315]), "\"0.315\""),
        (.tagged(4, [1000, -7]), "\"-7E1000\""), (.tagged(4, [1]), "{\"tag\":4,\"value\":[1]}"),
        (.tagged(99, [1]), "{\"tag\":99,\"value\":[1]}"),
        (.tagged(32, 5), "{\"tag\":32,\"value\":5}"),
    ]

    @Test func `is written for a decimal with the least exponent of all`() throws {
        // Tag 4 around -2^127, a bignum, and 1.
        let bytes: [UInt8] =
            [0xC4, 0x82, 0xC3, 0x50, 0x7F] + [UInt8](repeating: 0xFF, count: 15) + [0x01]
        let value = try FieldValue(cbor: bytes)
        #expect(value.jsonText() == "\"1E-170141183460469231731687303715884105728\"")
    }

    @Test(arguments: table)
    func `has the text of the table`(value: FieldValue, json: String) {
        #expect(value.jsonText() == json)
    }

    @Test func `is indented if asked for`() {
        let value: FieldValue = ["list": [1, ["a": .null]], "empty": [], "none": [:]]
        #expect(
            value.jsonText(pretty: true) == """
                {
                  "empty": [],
                  "list": [
                    1,
                    {
                      "a": null
                    }
                  ],
                  "none": {}
                }
                """)
    }

    @Test func `gives the value back where it says so`() throws {
        var random = RandomSource(seed: 41)
        var exact = 0
        for _ in 0..<5_000 {
            let value = random.value(depth: 3)
            let text = value.jsonText()
            let parsed = try FieldValue(json: text)
            #expect((parsed == value) == value.isExactInJSON, "\(text)")
            #expect(try FieldValue(json: value.jsonText(pretty: true)) == parsed)
            if value.isExactInJSON { exact += 1 }
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        }
        #expect(exact > 1_000)
        for (value, json) in Self.table {
            #expect(try (FieldValue(json: json) == value) == value.isExactInJSON, "\(json)")
        }
    }

    @Test(
        arguments: [
            ("1", 1), (" [ 1 , 2.0 , -3e2 , 1E+2 ] ", [1, 2.0, -300.0, 100.0]), ("1.0", 1.0),
            ("-0", 0),
            ("\"\\u00e9\\ud83d\\ude00\\/\\b\\f\"", "é😀/\u{8}\u{C}"), ("{}", [:]), ("[]", []),
            ("{\"a\" : { \"b\":[ ] } }", ["a": ["b": []]]),
            (
                "340282366920938463463374607431768211456",
                .tagged(2, .bytes(Data([1] + Array(repeating: 0, count: 16))))
            ),
            (
                "-340282366920938463463374607431768211457",
                .tagged(3, .bytes(Data([1] + Array(repeating: 0, count: 16))))
            ),
        ] as [(String, FieldValue)])
    func `is parsed`(json: String, value: FieldValue) throws {
        #expect(try FieldValue(json: json) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "truee", "01", "-", "+1", "1.", ".5", "1e", "1e400", "[1,]", "[1 2]", "[",
        "{",
        "{\"a\"}", "{\"a\":1,}", "{a:1}", "{\"a\":1,\"a\":2}", "\"", "\"\\x\"", "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "1 1", "NaN", "'a'", "[1]]", "\u{FEFF}1",
    ])
    func `is refused if it is not JSON`(text: String) {
        #expect(throws: JSONError.self) { try FieldValue(json: text) }
    }

    @Test func `is refused with the place and the problem`() throws {
        let error = try #require(throws: JSONError.self) { try FieldValue(json: "{\"é\": 1,}") }
        #expect(error.offset == 9)
        #expect(!error.problem.isEmpty)
        #expect(error.description == "The JSON is not valid at byte 9: \(error.problem).")
    }

    @Test func `is refused if it is too deep or a number too long`() {
        #expect(throws: JSONError.self) {
            try FieldValue(
                json: String(repeating: "[", count: 129) + String(repeating: "]", count: 129))
        }
        #expect(throws: Never.self) {
            try FieldValue(
                json: String(repeating: "[", count: 128) + String(repeating: "]", count: 128))
        }
        #expect(throws: JSONError.self) {
            try FieldValue(json: String(repeating: "9", count: 100_000))
        }
    }

    @Test func `never traps a parser`() {
        var random = RandomSource(seed: 42)
        let samples =
            Self.table.map(\.1) + [Self.table.map { $0.0.jsonText() }.joined(separator: ",")]
        for sample in samples {
            let utf8 = Array(sample.utf8)
            for index in utf8.indices {
                var changed = utf8
                changed[index] = UInt8(random.below(128))
                _ = try? FieldValue(json: String(decoding: changed, as: UTF8.self))
                _ = try? FieldValue(json: String(decoding: utf8.prefix(index), as: UTF8.self))
            }
        }
    }
}

@Suite struct `The text of a date` {
    private func text(_ seconds: Double) -> String {
        DateText.text(of: Date(timeIntervalSinceReferenceDate: seconds))
    }

    @Test func `is ISO 8601`() {
        #expect(text(730_900_800) == "2024-02-29T12:00:00Z")
        #expect(text(-978_307_200) == "1970-01-01T00:00:00Z")
        #expect(text(-978_307_200.25) == "1969-12-31T23:59:59.75Z")
        #expect(text(0.1) == "2001-01-01T00:00:00.1Z")
        #expect(text(1e-7) == "2001-01-01T00:00:00.0000001Z")
        #expect(text(-63_145_526_400 + 31_622_400) == "0001-01-01T00:00:00Z")
        #expect(text(252_423_993_599) == "9999-12-31T23:59:59Z")
        #expect(text(252_423_993_600) == "252423993600.0")
        #expect(text(1e300) == "1e+300")
        #expect(text(-.infinity) == "-Infinity")
    }

    /// Before 1583 Foundation changes to the Julian calendar; ISO 8601 does not.
    @Test func `agrees with Foundation on whole seconds since 1583`() throws {
        var random = RandomSource(seed: 43)
        let style = Date.ISO8601FormatStyle()
        for _ in 0..<2_000 {
            let seconds = Double(random.below(120_000_000_000) - 13_150_000_000)
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(DateText.text(of: date) == date.formatted(style))
        }
    }

    @Test func `is read as the date, if it is one of the calendar with a zone`() {
        func seconds(_ text: String) -> Double? {
            DateText.date(of: text)?.timeIntervalSinceReferenceDate
        }
        #expect(seconds("2024-02-29T12:00:00Z") == 730_900_800)
        #expect(seconds("2024-02-29 13:30:00.250+01:30") == 730_900_800.25)
        #expect(seconds("2000-12-31T22:59:59.5-01") == -0.5)
        #expect(seconds("0000-02-29T00:00:00Z") == -63_140_428_800)
        for text in [
            "2023-02-29T12:00:00Z", "1900-02-29T12:00:00Z", "2024-13-01T12:00:00Z",
            "2024-00-01T12:00:00Z", "2024-01-00T12:00:00Z", "2024-04-31T12:00:00Z",
            "2024-01-01T24:00:00Z", "2024-01-01T12:60:00Z", "2024-01-01T12:00:60Z",
            "2024-01-01T12:00:00+24:00", "2024-01-01T12:00:00+01:60", "2024-01-01T12:00:00",
            "2024-01-01T12:00:00.Z", "2024-01-01T12:00:00Z ", "+2024-01-01T12:00:00Z", "", "1e300",
        ] {
            #expect(seconds(text) == nil, "\(text)")
        }
    }

    @Test func `gives every bit back`() throws {
        var random = RandomSource(seed: 44)
        var readCount = 0
        for index in 0..<20_000 {
            let seconds =
                index < 10_000
                ? random.double() : Double(random.integer() % 400_000_000_000) * 0.001
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            if seconds == 0 || seconds.isNaN { continue }
            let bits = try secondsSince2001(DateText.text(of: date)).bitPattern
            #expect(bits == seconds.bitPattern, "\(seconds): \(DateText.text(of: date))")
            if let read = DateText.date(of: DateText.text(of: date)) {
                #expect(read.timeIntervalSinceReferenceDate.bitPattern == bits)
                readCount += 1
            }
        }
        #expect(readCount > 8_000)
    }

    /// The float of a date's text, as a reader in another language would find it.
    private func secondsSince2001(_ text: String) throws -> Double {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z/)
        else { return try #require(Double(text)) }
        let numbers = [match.1, match.2, match.3, match.4, match.5, match.6].compactMap { Int($0) }
        let year = numbers[0]
        var day = 365 * year + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
        let february = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30]
        day += months.prefix(numbers[1] - 1).reduce(0, +) + numbers[2] - 1
        let second = (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
        // From 0000-01-01 to 2001-01-01 it is 730,851 days.
        let whole = (day - 730_851) * 86_400 + second
        let fraction = String(match.7 ?? "")
        guard whole < 0, !fraction.isEmpty else {
            return try #require(Double("\(whole).\(fraction)0"))
        }
        // Below zero the fraction is added: -2 + 0.75 is -1.25.
        var digits = fraction.compactMap(\.wholeNumberValue).map { 9 - $0 }
        var index = digits.count - 1
        while digits[index] == 9 {
            digits[index] = 0
            index -= 1
        }
        digits[index] += 1
        return try #require(Double("-\(-whole - 1)." + digits.map(String.init).joined()))
    }
}
