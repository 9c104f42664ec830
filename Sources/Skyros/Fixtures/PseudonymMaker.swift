import Foundation

/// Makes the pseudonyms of values.
struct PseudonymMaker {
    private let originals: Originals
    /// By the original value.
    private(set) var values: [FieldValue: FieldValue] = [:]
    /// The pseudonyms, and what none may be.
    private var used: Set<FieldValue>
    /// The last number of a pseudonym, of texts by the names of their fields, of others by kind.
    private var lastNumbers = NamedValues<Int>()

    /// Between these magnitudes, integers fit the same fields: of 8, 16 and more bits, with a sign
    /// and without. The last one begins those that are replaced wherever they stand.
    private static let sizes: [UInt128] = [0, 128, 256, 32_768, 65_536, Originals.numberMin]

    /// The tags of a decimal fraction and of a URI, of RFC 8949, sections 3.4.4 and 3.4.5.3.
    private static let decimalTag: UInt64 = 4
    private static let urlTag: UInt64 = 32

    init(_ originals: Originals) {
        self.originals = originals
        used = originals.kept
        let toBoolean: Set<FieldConversion> = [.integerToBoolean, .booleanToInteger]
        // There 0 and 1 are truth values.
        if originals.items.contains(where: { !$0.conversions.isDisjoint(with: toBoolean) }) {
            used.formUnion([0, 1])
        }
        for item in originals.items { _ = pseudonym(of: item) }
    }

    private mutating func pseudonym(of original: Originals.Item) -> FieldValue {
        if let known = values[original.value] { return known }
        let pseudonym = written(original) ?? unused(for: original)
        values[original.value] = pseudonym
        used.insert(pseudonym)
        return pseudonym
    }

    /// One that a conversion reads as the pseudonym of what it reads the original as.
    private mutating func written(_ original: Originals.Item) -> FieldValue? {
        guard let reading = PlainReading(of: original) else { return nil }
        let plain = originals.item(of: reading.value).map { pseudonym(of: $0) } ?? reading.value
        guard let written = reading.written(plain) else { return nil }
        guard var text = written.text else { return written }
        // "7" and "07" are different texts of the same number, and only one is the usual.
        var isUsual = reading.written(reading.value) == original.value
        while !isUsual || used.contains(.text(text)) || original.value == .text(text) {
            guard let value = try? reading.conversion.convert(.text("0" + text), of: ""),
                value != .text("0" + text)
            else { break }
            text = "0" + text
            isUsual = true
        }
        return .text(text)
    }

    private mutating func unused(for original: Originals.Item) -> FieldValue {
        var pseudonym = next(for: original)
        if let isTrue = pseudonym.bool {
            // It may stand for itself: there are only two.
            return .bool(used.contains(pseudonym) ? !isTrue : isTrue)
        }
        while pseudonym == original.value || used.contains(pseudonym)
            || originals.contains(pseudonym)
        {
            pseudonym = next(for: original)
        }
        return pseudonym
    }

    private mutating func next(for original: Originals.Item) -> FieldValue {
        let field = original.field
        return switch original.value {
        case .text: .text(name(of: field))
        case .bytes: .bytes(Data(name(of: field).utf8))
        case .tagged(Self.urlTag, _):
            .tagged(Self.urlTag, .text("https://example.invalid/\(name(of: field))"))
        case .tagged(Self.decimalTag, let parts):
            .tagged(Self.decimalTag, decimal(isFraction: parts.array?.first?.integer ?? 0 < 0))
        case .tagged(let tag, .text): .tagged(tag, .text(name(of: field)))
        case .tagged(let tag, _): .tagged(tag, .integer(Int128(number("tagged"))))
        case .bool: .bool(number("truth") > 1)
        case .integer(let number): .integer(integer(like: number))
        case .double: .double(Double(number("double")) + 0.5)
        case .uuid: .uuid(UUID(random: (0, UInt64(number("uuid")))))
        case .date:
            .date(Date(timeIntervalSinceReferenceDate: Double(number("date")) * 86_400))
        case .null, .array, .map: original.value
        }
    }

    /// The exponent and the digits of a number whose text is that of no other kind.
    private mutating func decimal(isFraction: Bool) -> FieldValue {
        if isFraction { return [-2, .integer(Int128(number("decimal")) * 100 + 25)] }
        return [0, .integer(Int128(number("small")))]
    }

    /// An integer that fits where the original fits: of its sign and size, or of the next size if
    /// there is no other number of that.
    private mutating func integer(like original: Int128) -> Int128 {
        let isNegative = original < 0
        // -128 fits where 127 fits.
        let isLess = isNegative && original.magnitude < Originals.numberMin
        let magnitude = isLess ? original.magnitude - 1 : original.magnitude
        var index = Self.sizes.lastIndex { $0 <= magnitude } ?? 0
        while true {
            let sign = isNegative ? "negative" : "positive"
            let place = Self.sizes[index] + UInt128(number("\(sign) \(Self.sizes[index])"))
            index += 1
            let limit = index < Self.sizes.count ? Self.sizes[index] : .max
            if place < limit { return isNegative ? -Int128(place) : Int128(place) }
        }
    }

    private mutating func number(_ kind: String) -> Int {
        let number = (lastNumbers[kind] ?? 0) + 1
        lastNumbers[kind] = number
        return number
    }

    private mutating func name(of field: String) -> String {
        // No kind has a hyphen in its name.
        "\(field)-\(number("text-\(field)"))"
    }
}
