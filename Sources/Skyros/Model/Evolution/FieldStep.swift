/// One step of an evolution.
enum FieldStep: Hashable, Sendable {
    case rename(String, to: String)
    case retype(String, FieldConversion)
    case add(String, FieldValue)
    case drop(String)
    case split(String, into: [String], separator: String)
    case merge([String], into: String, separator: String)
    /// A closure of the app, which only the app's types know.
    case code

    /// The fields that the step reads or writes; nil if it may be any.
    var fields: [String]? {
        switch self {
        case .rename(let from, let to): [from, to]
        case .retype(let field, _), .add(let field, _), .drop(let field): [field]
        case .split(let field, let names, _): [field] + names
        case .merge(let fields, let name, _): fields + [name]
        case .code: nil
        }
    }

    /// Why the step means nothing; nil if it does.
    var problem: String? {
        switch self {
        case .split(_, let names, let separator) where names.count < 2 || separator.isEmpty:
            "a split needs two names or more, and a separator"
        case .merge(let fields, _, _) where fields.count < 2:
            "a merge needs two fields or more"
        case .rename(let from, let to) where from.isSameName(as: to):
            "a field is renamed to its own name, \"\(to)\""
        default: nil
        }
    }

    /// Changes the fields of a record.
    ///
    /// - Throws: `FieldConversion.Failure`; `CBORError` for a value that cannot be stored.
    func apply(to record: inout Record) throws {
        switch self {
        case .rename(let from, let to):
            guard let value = record[from] else { return }
            try record.set(from, to: nil)
            try record.set(to, to: value)
        case .retype(let field, let conversion):
            guard let value = record[field], value != .null else { return }
            try record.set(field, to: conversion.convert(value, of: field))
        case .add(let field, let value):
            if record[field] == nil { try record.set(field, to: value) }
        case .drop(let field):
            try record.set(field, to: nil)
        case .split(let field, let names, let separator):
            guard let value = record[field], value != .null else { return }
            let text = try Self.text(value, of: field, "split")
            try record.set(field, to: nil)
            for (name, part) in zip(names, Self.parts(of: text, separator, names.count)) {
                try record.set(name, to: .text(part))
            }
        case .merge(let fields, let name, let separator):
            let values = fields.compactMap { field in record[field].map { (field, $0) } }
            guard values.contains(where: { $0.1 != .null }) else { return }
            let texts = try values.filter { $0.1 != .null }
                .map { try Self.text($0.1, of: $0.0, "joined") }
            for field in fields { try record.set(field, to: nil) }
            try record.set(name, to: .text(texts.joined(separator: separator)))
        case .code:
            preconditionFailure("A closure is run by its evolver.")
        }
    }

    private static func text(
        _ value: FieldValue, of field: String, _ verb: String
    ) throws -> String {
        guard let text = value.text else {
            throw FieldConversion.Failure("the field \"\(field)\" is no text to be \(verb)")
        }
        return text
    }

    /// The parts of a text, `count` of them.
    private static func parts(of text: String, _ separator: String, _ count: Int) -> [String] {
        var parts: [String] = []
        var rest = text[...]
        while parts.count < count - 1, let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        parts.append(String(rest))
        return parts + Array(repeating: "", count: count - parts.count)
    }
}

extension FieldStep: CustomStringConvertible {
    /// The step as in Swift: `rename("name", to: "fullName")`.
    var description: String {
        func quoted(_ text: String) -> String { FieldValue.text(text).jsonText() }
        func list(_ names: [String]) -> String {
            "[" + names.map(quoted).joined(separator: ", ") + "]"
        }
        return switch self {
        case .rename(let from, let to): "rename(\(quoted(from)), to: \(quoted(to)))"
        case .retype(let field, let conversion): "retype(\(quoted(field)), .\(conversion.name))"
        case .add(let field, let value): "add(\(quoted(field)), \(value.jsonText()))"
        case .drop(let field): "drop(\(quoted(field)))"
        case .split(let field, let names, let separator):
            "split(\(quoted(field)), into: \(list(names)), at: \(quoted(separator)))"
        case .merge(let fields, let name, let separator):
            "merge(\(list(fields)), into: \(quoted(name)), with: \(quoted(separator)))"
        case .code: "a closure"
        }
    }
}
