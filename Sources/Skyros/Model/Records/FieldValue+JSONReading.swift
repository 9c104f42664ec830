import Foundation

extension FieldValue {
    /// Reads JSON: null, truth values, numbers, texts, arrays and objects. Numbers without
    /// fraction and exponent are integers.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the text is no JSON.
    public init(json text: String) throws {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)).value
        } catch {
            throw StoreError(.invalidInput, "this is no JSON: \(text)")
        }
    }
}

/// Any JSON value.
private struct JSONValue: Decodable {
    let value: FieldValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let integer = try? container.decode(Int128.self) {
            value = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            value = .double(number)
        } else if let text = try? container.decode(String.self) {
            value = .text(text)
        } else if let elements = try? container.decode([JSONValue].self) {
            value = .array(elements.map(\.value))
        } else {
            value = .map(try container.decode([String: JSONValue].self).mapValues(\.value))
        }
    }
}
