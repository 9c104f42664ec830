import Foundation

/// The pseudonyms of the values of scrubbed fields.
///
/// They are numbered in the order in which the values first appear: a pseudonym says nothing of its
/// value, and the same log has the same ones. No pseudonym is a text, a UUID or a large number that
/// a scrubbed field has, so what is left of these can be found, also where fields are scrubbed that
/// have pseudonyms already.
struct Pseudonyms {
    /// By the original value, which is no array, no map and not null.
    private var values: [FieldValue: FieldValue] = [:]
    /// The texts that are replaced as parts of others.
    private(set) var parts = TextReplacer()
    /// The texts of the pseudonyms, and those that are kept.
    private var others = TextReplacer()
    /// The number of different values that are replaced.
    let count: Int

    /// The fewest bytes that are replaced wherever they stand.
    private static let byteCountMin = 4

    init(_ originals: Originals = Originals()) {
        values = PseudonymMaker(originals).values
        count = values.count
        for (bytes, index) in originals.texts {
            let pseudonym = values[originals.items[index].value]
            guard let text = pseudonym.flatMap({ Self.text(of: $0) }) else { continue }
            parts.add(String(decoding: bytes, as: UTF8.self), replacement: text)
        }
        for value in originals.kept { values[value] = value }
        for pseudonym in values.values {
            if let text = Self.text(of: pseudonym) { others.add(text, replacement: text) }
        }
    }

    /// The text of a pseudonym; nil if it has none.
    private static func text(of pseudonym: FieldValue) -> String? {
        switch pseudonym {
        case .text(let text), .tagged(_, .text(let text)): text
        case .bytes(let data): String(data: data, encoding: .utf8)
        case .integer(let number):
            number.magnitude >= Originals.numberMin ? "\(number)" : nil
        case .uuid(let uuid): uuid.uuidString
        default: nil
        }
    }

    /// Whether a place in bytes lies in a pseudonym, or in a text that is kept.
    func covers(_ place: Range<Int>, in bytes: [UInt8]) -> Bool {
        others.covers(place, in: bytes)
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
            number.magnitude >= Originals.numberMin ? values[value] ?? value : value
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
