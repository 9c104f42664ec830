import Foundation
import Skyros

/// What a text, or another value of an import's input, is stored as.
enum FieldKind: String, CaseIterable {
    case bool, integer, double, uuid, date, text, bytes, unix, reference

    /// The value of this kind; nil if `value` is none.
    func value(of value: FieldValue) -> FieldValue? {
        switch value {
        case .text(let text): self.value(ofText: text)
        case .integer(let number): self.value(ofNumber: number)
        case .double(let number): self.value(ofNumber: number)
        case .bytes(let data): self.value(ofBytes: data)
        case .null: value
        case .bool: self == .bool ? value : nil
        case .uuid: self == .uuid ? value : nil
        case .date: self == .date ? value : nil
        case .array, .map, .tagged: nil
        }
    }

    private func value(ofText text: String) -> FieldValue? {
        switch self {
        case .text: .text(text)
        case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case .integer: Self.integer(text)
        case .double: Self.double(text)
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .date: DateText.date(of: text).map { .date($0) }
        case .bytes: Data(base64Encoded: text).map { .bytes($0) }
        case .unix, .reference: Double(text).flatMap { value(ofNumber: $0) }
        }
    }

    private func value(ofNumber number: Int128) -> FieldValue? {
        switch self {
        case .integer: .integer(number)
        case .bool: number == 0 || number == 1 ? .bool(number == 1) : nil
        case .double: Double(exactly: number).map { .double($0) }
        case .text: .text(String(number))
        case .unix, .reference: value(ofNumber: Double(number))
        case .uuid, .date, .bytes: nil
        }
    }

    private func value(ofNumber number: Double) -> FieldValue? {
        switch self {
        case .double: .double(number)
        case .integer: Int128(exactly: number).map { .integer($0) }
        case .text: .text(number.description)
        case .unix: .date(Date(timeIntervalSince1970: number))
        case .reference: .date(Date(timeIntervalSinceReferenceDate: number))
        case .bool, .uuid, .date, .bytes: nil
        }
    }

    private func value(ofBytes data: Data) -> FieldValue? {
        switch self {
        case .bytes: return .bytes(data)
        case .text: return String(data: data, encoding: .utf8).map { .text($0) }
        case .uuid:
            guard data.count == 16 else { return nil }
            var id: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            withUnsafeMutableBytes(of: &id) { $0.copyBytes(from: data) }
            return .uuid(UUID(uuid: id))
        default: return nil
        }
    }

    /// An integer as it is written canonically: `007` and `+7` are texts.
    private static func integer(_ text: String) -> FieldValue? {
        guard let number = Int128(text), String(number) == text else { return nil }
        return .integer(number)
    }

    /// A number as JSON has it: `1.`, `.5`, `nan` and hexadecimal digits are texts.
    private static func double(_ text: String) -> FieldValue? {
        switch try? FieldValue(json: text) {
        case .integer(let number): .double(Double(number))
        case .double(let number): .double(number)
        default: nil
        }
    }
}
