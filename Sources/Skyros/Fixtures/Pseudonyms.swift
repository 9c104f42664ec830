import Foundation

/// The pseudonyms of the values of scrubbed fields.
///
/// They are numbered in the order in which the values first appear: a pseudonym says nothing of its
/// value, and the same log has the same ones.
struct Pseudonyms {
    /// By the original value, which is no array, no map and not null.
    private var values: [FieldValue: FieldValue] = [:]
    /// The last number of a pseudonym, of texts by the names of their fields, of others by kind.
    private var lastNumbers = NamedValues<Int>()
    /// The texts that are replaced as parts of others.
    private(set) var parts = TextReplacer()

    /// The fewest bytes of a text that is replaced as a part of others: three letters, or one
    /// Chinese character.
    private static let partCountMin = 3
    /// The least magnitude of a number that is replaced wherever it stands.
    private static let numberMin: UInt128 = 1_000_000
    /// The fewest bytes that are replaced wherever they stand.
    private static let byteCountMin = 4
    /// The tags of a decimal fraction and of a URI, of RFC 8949, sections 3.4.4 and 3.4.5.3.
    private static let decimalTag: UInt64 = 4
    private static let urlTag: UInt64 = 32

    /// The number of different values.
    var count: Int { values.count }

    // MARK: Collecting

    /// Gives all values in a value of a field their pseudonyms.
    mutating func note(_ value: FieldValue, of field: String) {
        switch value {
        case .null, .text(""): return
        case .array(let elements): for element in elements { note(element, of: field) }
        case .map(let members): for (_, member) in members { note(member, of: field) }
        default: noteLeaf(value, of: field)
        }
    }

    private mutating func noteLeaf(_ value: FieldValue, of field: String) {
        let pseudonym = values[value] ?? add(value, of: field)
        guard let text = Self.text(of: value), let other = Self.text(of: pseudonym) else { return }
        // Equal texts may have different bytes, here and elsewhere.
        let forms = [
            text, text.precomposedStringWithCanonicalMapping,
            text.decomposedStringWithCanonicalMapping,
        ]
        for form in forms { parts.add(form, replacement: other) }
        switch value {
        case .uuid:
            parts.add(text.lowercased(), replacement: other)
        case .text(let text):
            // The same in another kind of value.
            if let uuid = UUID(uuidString: text) { noteOther(.uuid(uuid), of: field) }
            if text.utf8.count >= 7, let number = Int128(text) {
                noteOther(.integer(number), of: field)
            }
        default: break
        }
    }

    private mutating func noteOther(_ value: FieldValue, of field: String) {
        if values[value] == nil { _ = add(value, of: field) }
    }

    /// A text that stands for the value where it is a part of another text; nil for values that
    /// stand there by chance.
    private static func text(of value: FieldValue) -> String? {
        switch value {
        case .text(let text), .tagged(_, .text(let text)):
            text.utf8.count >= partCountMin ? text : nil
        case .integer(let number): number.magnitude >= numberMin ? "\(number)" : nil
        case .uuid(let uuid): uuid.uuidString
        default: nil
        }
    }

    private mutating func add(_ value: FieldValue, of field: String) -> FieldValue {
        var pseudonym = next(for: value, of: field)
        // A truth value may stand for itself: there are only two.
        if pseudonym == value, value.bool == nil { pseudonym = next(for: value, of: field) }
        values[value] = pseudonym
        return pseudonym
    }

    private mutating func next(for value: FieldValue, of field: String) -> FieldValue {
        switch value {
        case .text: .text(name(of: field))
        case .bytes: .bytes(Data(name(of: field).utf8))
        case .tagged(Self.urlTag, _):
            .tagged(Self.urlTag, .text("https://example.invalid/\(name(of: field))"))
        case .tagged(Self.decimalTag, _):
            .tagged(
                Self.decimalTag, .array([.integer(0), .integer(Int128(number("decimal")))]))
        case .tagged(let tag, .text): .tagged(tag, .text(name(of: field)))
        case .tagged(let tag, _): .tagged(tag, .integer(Int128(number("tagged"))))
        case .bool: .bool(number("truth") > 1)
        case .integer(let original):
            // Of a size that fits where the original fits.
            original.magnitude >= Self.numberMin
                ? .integer(Int128(Self.numberMin) + Int128(number("large")))
                : .integer(Int128(number("small")))
        case .double: .double(Double(number("double")) + 0.5)
        case .uuid: .uuid(UUID(random: (0, UInt64(number("uuid")))))
        case .date:
            .date(Date(timeIntervalSinceReferenceDate: Double(number("date")) * 86_400))
        case .null, .array, .map: value
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

    // MARK: Replacing

    /// Whether a value is one of a scrubbed field, and none that stands elsewhere by chance.
    func isOriginal(_ value: FieldValue) -> Bool {
        guard let pseudonym = values[value] else { return false }
        return pseudonym != value && replacedElsewhere(value) != value
    }

    /// A value of a scrubbed field; nil if it was never noted.
    func replaced(_ value: FieldValue) -> FieldValue? {
        switch value {
        case .null, .text(""): return value
        case .array(let elements):
            let others = elements.compactMap { replaced($0) }
            return others.count == elements.count ? .array(others) : nil
        case .map(let members):
            let others = members.compactMap { name, member in
                replaced(member).map { (replaced(name), $0) }
            }
            return others.count == members.count ? .map(NamedValues(others)) : nil
        default: return values[value]
        }
    }

    /// A value that stands elsewhere.
    func replacedElsewhere(_ value: FieldValue) -> FieldValue {
        switch value {
        case .array(let elements): .array(elements.map { replacedElsewhere($0) })
        case .map(let members):
            .map(NamedValues(members.map { (replaced($0), replacedElsewhere($1)) }))
        case .text(let text): .text(replaced(text))
        case .bytes(let data):
            data.count >= Self.byteCountMin
                ? values[value] ?? .bytes(Data(parts.replaced(Array(data)))) : value
        case .integer(let number):
            number.magnitude >= Self.numberMin ? values[value] ?? value : value
        case .uuid, .date: values[value] ?? value
        case .tagged(let tag, let inner):
            values[value] ?? .tagged(tag, replacedElsewhere(inner))
        case .null, .bool, .double: value
        }
    }

    /// A text that stands elsewhere.
    func replaced(_ text: String) -> String {
        if !text.isEmpty, case .text(let pseudonym)? = values[.text(text)] { return pseudonym }
        return parts.replaced(text)
    }
}
