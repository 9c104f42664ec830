import Foundation

/// The values of scrubbed fields, in the order in which they first appear.
struct Originals {
    /// A value that gets a pseudonym.
    struct Item {
        /// No array, no map and not null.
        let value: FieldValue
        /// The field in which it was first.
        let field: String
        /// The conversions of its fields.
        fileprivate(set) var conversions: Set<FieldConversion> = []
    }

    private(set) var items: [Item] = []
    private var indexes: [FieldValue: Int] = [:]
    /// The texts that stand for values where they are parts of other texts, in UTF-8, with the
    /// indexes of the values.
    private(set) var texts: [[UInt8]: Int] = [:]
    /// The values that stay, as the program itself gives them to a field.
    private(set) var kept: Set<FieldValue> = []

    /// The fewest bytes of a text that is replaced as a part of others: three letters, or one
    /// Chinese character.
    private static let partCountMin = 3
    /// The least magnitude of a number that is replaced wherever it stands.
    static let numberMin: UInt128 = 1_000_000

    /// The item of a value; nil if it has no pseudonym.
    func item(of value: FieldValue) -> Item? { indexes[value].map { items[$0] } }

    /// Whether a value, or its text, is the one of a scrubbed field.
    func contains(_ value: FieldValue) -> Bool {
        if let text = Self.text(of: value), texts[Array(text.utf8)] != nil { return true }
        // Small numbers are few where a field holds 8 bits.
        if case .integer(let number) = value, number.magnitude < Self.numberMin {
            return texts[Array(number.description.utf8)] != nil
        }
        return indexes[value] != nil
    }

    /// Notes values that stay, and what the conversions make of them. Call it before `note`.
    mutating func keep(_ value: FieldValue, through conversions: Set<FieldConversion>) {
        switch value {
        case .null: return
        case .array(let elements): for element in elements { keep(element, through: conversions) }
        case .map(let members): for (_, member) in members { keep(member, through: conversions) }
        default:
            guard kept.insert(value).inserted else { return }
            for conversion in conversions {
                if let other = try? conversion.convert(value, of: "") {
                    keep(other, through: conversions)
                }
            }
            let item = Item(value: value, field: "", conversions: conversions)
            if let reading = PlainReading(of: item) { keep(reading.value, through: conversions) }
        }
    }

    /// Notes all values in a value of a field.
    ///
    /// - Parameter conversions: those that the field's evolution applies to it, in any order.
    mutating func note(
        _ value: FieldValue, of field: String, through conversions: Set<FieldConversion> = []
    ) {
        switch value {
        case .null, .text(""): return
        case .array(let elements):
            for element in elements { note(element, of: field, through: conversions) }
        case .map(let members):
            for (_, member) in members { note(member, of: field, through: conversions) }
        default: noteLeaf(value, of: field, through: conversions)
        }
    }

    private mutating func noteLeaf(
        _ value: FieldValue, of field: String, through conversions: Set<FieldConversion>
    ) {
        if kept.contains(value) { return }
        let index = indexes[value] ?? items.count
        if index == items.count {
            items.append(Item(value: value, field: field))
            indexes[value] = index
        }
        noteTexts(of: value, at: index)
        if !conversions.isSubset(of: items[index].conversions) {
            items[index].conversions.formUnion(conversions)
            if let reading = PlainReading(of: items[index]) {
                noteLeaf(reading.value, of: field, through: items[index].conversions)
            }
        }
        guard case .text(let text) = value else { return }
        // The same in another kind of value.
        if let uuid = UUID(uuidString: text) { noteLeaf(.uuid(uuid), of: field, through: []) }
        if text.utf8.count >= 7, let number = Int128(text) {
            noteLeaf(.integer(number), of: field, through: [])
        }
    }

    private mutating func noteTexts(of value: FieldValue, at index: Int) {
        guard let text = Self.text(of: value) else { return }
        // Equal texts may have different bytes, here and elsewhere.
        var forms = [
            text, text.precomposedStringWithCanonicalMapping,
            text.decomposedStringWithCanonicalMapping,
        ]
        if case .uuid = value { forms.append(text.lowercased()) }
        // The first value counts.
        for form in forms.map({ Array($0.utf8) }) where texts[form] == nil { texts[form] = index }
    }

    /// A text that stands for the value where it is a part of another text; nil for values that
    /// stand there by chance.
    static func text(of value: FieldValue) -> String? {
        switch value {
        case .text(let text), .tagged(_, .text(let text)):
            text.utf8.count >= partCountMin ? text : nil
        case .integer(let number): number.magnitude >= numberMin ? "\(number)" : nil
        case .uuid(let uuid): uuid.uuidString
        default: nil
        }
    }
}

/// A value as one of a plainer kind, such as "07" as the integer 7, where a conversion of its field
/// reads it so.
struct PlainReading {
    /// The value of the plainer kind.
    let value: FieldValue
    let conversion: FieldConversion
    private let inverse: FieldConversion

    /// The conversions to plainer kinds with their inverses; the plainest kinds come first.
    private static let pairs: [(FieldConversion, FieldConversion)] = [
        (.textToBoolean, .booleanToText), (.integerToBoolean, .booleanToInteger),
        (.textToInteger, .integerToText), (.realToInteger, .integerToReal),
        (.textToUUID, .uuidToText), (.textToDate, .dateToText),
        (.textToDecimal, .decimalToText), (.textToReal, .realToText), (.textToURL, .urlToText),
    ]

    /// Nil if no conversion of the value's fields, and no inverse of one, reads it.
    init?(of original: Originals.Item) {
        guard !original.conversions.isEmpty else { return nil }
        for (conversion, inverse) in Self.pairs
        where original.conversions.contains(conversion) || original.conversions.contains(inverse) {
            let value = try? conversion.convert(original.value, of: original.field)
            guard let value, value != original.value else { continue }
            self.value = value
            self.conversion = conversion
            self.inverse = inverse
            return
        }
        return nil
    }

    /// What the conversion reads as a value of the plainer kind.
    func written(_ value: FieldValue) -> FieldValue? {
        try? inverse.convert(value, of: "")
    }
}
