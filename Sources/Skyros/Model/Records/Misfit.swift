/// Why a record does not fit a type: the field, what was expected, what is stored, and what helps.
struct Misfit {
    /// The path of the field in the record, such as `address.city` or `lines[2].price`; nil if it
    /// is not known.
    let field: String?
    /// What is wrong, as the rest of a sentence that begins with the record.
    let fact: String
    /// What to do about it.
    let advice: String

    /// Explains an error of decoding.
    ///
    /// - Parameter record: the record's bytes, in which the field is looked up.
    init(_ error: any Error, in record: [UInt8]) {
        guard let error = error as? DecodingError else {
            field = nil
            fact = "was refused by init(from:)"
            advice = "let init(from:) accept it, or correct the record"
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            let path = context.codingPath + [key]
            let expected = (context.underlyingError as? MissingField)?.expected
            (field, fact) = (Self.text(of: path), "has no field \"\(Self.text(of: path))\"")
            advice = Self.adviceForMissing(key, expected)
        case .valueNotFound(let type, let context):
            let name = Self.text(of: context.codingPath)
            fact = "has null in the field \"\(name)\", which is read as \(Self.name(of: type))"
            field = name
            advice = Self.adviceForMissing(context.codingPath.last, String(describing: type))
        case .typeMismatch(let type, let context):
            let path = context.codingPath
            field = path.isEmpty ? nil : Self.text(of: path)
            let found = Self.kind(at: path, in: record).map { "has \($0)" } ?? "has another kind"
            let place = path.isEmpty ? "" : " in the field \"\(Self.text(of: path))\""
            fact = "\(found)\(place), which is read as \(Self.name(of: type))"
            advice = Self.adviceForOther(path.last, String(describing: type))
        case .dataCorrupted(let context):
            let path = context.codingPath
            field = path.isEmpty ? nil : Self.text(of: path)
            let place = path.isEmpty ? "" : " in the field \"\(Self.text(of: path))\""
            let found = Self.kind(at: path, in: record) ?? "a value"
            fact = "has \(found)\(place) that its type does not accept"
            advice = Self.adviceForOther(path.last, nil)
        @unknown default:
            field = nil
            fact = "cannot be decoded"
            advice = "let init(from:) accept it, or correct the record"
        }
    }

    // MARK: Advice

    private static func adviceForMissing(_ key: (any CodingKey)?, _ expected: String?) -> String {
        let line = line(key, expected) { "try container.decodeIfPresent(\($0), forKey: \($1))" }
        return "make the property optional, or give it a value in init(from:): \(line); a default "
            + "in its declaration is not used"
    }

    private static func adviceForOther(_ key: (any CodingKey)?, _ expected: String?) -> String {
        let line = line(key, expected) { "(try? container.decode(\($0), forKey: \($1)))" }
        return "give the property the stored type, or convert it in init(from:): \(line)"
    }

    private static func line(
        _ key: (any CodingKey)?, _ expected: String?, _ call: (String, String) -> String
    ) -> String {
        var name = key?.stringValue ?? ""
        let isIdentifier =
            key?.intValue == nil && !name.isEmpty && name.first?.isNumber == false
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        if !isIdentifier { name = "property" }
        return "\(name) = \(call("\(expected ?? "Value").self", ".\(name)")) ?? …"
    }

    // MARK: The field

    /// What a type is called: containers of fields and elements have no type.
    private static func name(of type: Any.Type) -> String {
        if type == [String: Any].self { return "a value with fields" }
        return type == [Any].self ? "an array" : String(describing: type)
    }

    /// A path as text. Names may come from the log: they are shown as they are.
    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue, key is CBORKey {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
    }

    /// The kind of the value at a path of a record; nil if there is none.
    private static func kind(at path: [any CodingKey], in record: [UInt8]) -> String? {
        var value = try? FieldValue(cbor: record)
        for key in path {
            switch value {
            case .map(let fields): value = fields[key.stringValue]
            case .array: value = key.intValue.flatMap { value?[$0] }
            default: return nil
            }
        }
        return value?.kind
    }
}

extension FieldValue {
    /// The kind of the value, in words.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .integer: "an integer"
        case .double: "a float"
        case .text: "a text"
        case .bytes: "bytes"
        case .uuid: "a UUID"
        case .date: "a date"
        case .array: "an array"
        case .map: "a map"
        case .tagged(CBORFormat.Tag.decimal, _): "a decimal"
        case .tagged(CBORFormat.Tag.url, _): "a URL"
        case .tagged(let tag, _): "a value with the tag \(tag)"
        }
    }
}
