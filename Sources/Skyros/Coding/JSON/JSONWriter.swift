import SkyrosLog

/// Writes values as JSON text.
struct JSONWriter {
    private let isPretty: Bool
    /// Whether dates are rounded to the microsecond.
    private let hasReadableDates: Bool
    /// Values are left out once the text has more bytes.
    private let bytesMax: Int
    private var utf8: [UInt8] = []
    private var indentation = 0

    init(isPretty: Bool, hasReadableDates: Bool = false, bytesMax: Int = .max) {
        self.isPretty = isPretty
        self.bytesMax = bytesMax
        self.hasReadableDates = hasReadableDates
    }

    var text: String { String(decoding: utf8, as: UTF8.self) }

    /// Whether the text has more than `bytesMax` bytes. It is not whole then.
    var isTooLong: Bool { utf8.count > bytesMax }

    mutating func append(_ value: FieldValue) {
        if isTooLong { return }
        switch value {
        case .null: append(raw: "null")
        case .bool(let value): append(raw: value ? "true" : "false")
        case .double(let value) where value.isFinite: append(raw: value.description)
        case .date(let date) where hasReadableDates:
            append(string: DateText.readableText(of: date))
        case .array(let values): append(values)
        case .map(let values): append(values)
        default:
            if let digits = value.jsonInteger {
                append(raw: digits)
            } else if let string = value.jsonString {
                append(string: string)
            } else if case .tagged(let tag, let content) = value {
                append(.map(["tag": .integer(Int128(tag)), "value": content]))
            }
        }
    }

    private mutating func append(_ values: [FieldValue]) {
        append(list: values, "[", "]") { writer, value in writer.append(value) }
    }

    private mutating func append(_ values: NamedValues<FieldValue>) {
        let dollar = UInt8(ascii: "$")
        let fields = values.sorted {
            $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars)
        }
        append(list: fields, "{", "}") { writer, field in
            // A key with one dollar sign is the library's.
            writer.append(string: field.key.utf8.first == dollar ? "$" + field.key : field.key)
            writer.append(raw: writer.isPretty ? ": " : ":")
            writer.append(field.value)
        }
    }

    private mutating func append<Item>(
        list items: [Item], _ opening: String, _ closing: String,
        _ body: (inout JSONWriter, Item) -> Void
    ) {
        append(raw: opening)
        indentation += 1
        for (index, item) in items.enumerated() {
            if index > 0 { append(raw: ",") }
            breakLine()
            body(&self, item)
        }
        indentation -= 1
        if !items.isEmpty { breakLine() }
        append(raw: closing)
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        append(raw: "\n" + String(repeating: "  ", count: indentation))
    }

    private mutating func append(raw text: String) {
        utf8.append(contentsOf: text.utf8)
    }

    private mutating func append(string: String) {
        utf8.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append(raw: "\\\"")
            case UInt8(ascii: "\\"): append(raw: "\\\\")
            case UInt8(ascii: "\n"): append(raw: "\\n")
            case UInt8(ascii: "\r"): append(raw: "\\r")
            case UInt8(ascii: "\t"): append(raw: "\\t")
            case ..<0x20:
                append(raw: "\\u" + UInt64(byte).digits(4, radix: 16))
            default: utf8.append(byte)
            }
        }
        utf8.append(UInt8(ascii: "\""))
    }
}
