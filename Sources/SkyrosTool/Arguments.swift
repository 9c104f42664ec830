import Foundation
import Skyros

/// The parsed arguments of a command.
struct Arguments {
    /// The store's directory.
    let store: URL
    /// The positional arguments after the store.
    let rest: [String]
    private let values: [String: String]
    private let flags: Set<String>

    /// - Throws: `UsageError` for an unknown option, or one with a missing or extra value.
    init(_ words: [String], for command: any Command.Type) throws {
        var positional: [String] = []
        var values: [String: String] = [:]
        var flags: Set<String> = []
        var remaining = words[...]
        while let word = remaining.popFirst() {
            if word == "--" {
                positional += remaining
                break
            }
            guard word.hasPrefix("--") else {
                positional.append(word)
                continue
            }
            let (name, inline) = Self.split(word)
            if name == "json" || command.flags.contains(name) {
                guard inline == nil else { throw UsageError("--\(name) takes no value") }
                flags.insert(name)
            } else if command.options.contains(name) {
                guard let value = inline ?? remaining.popFirst() else {
                    throw UsageError("--\(name) needs a value")
                }
                values[name] = value
            } else {
                throw UsageError("unknown option --\(name)")
            }
        }
        guard let store = positional.first else {
            throw UsageError("the directory of the store is missing")
        }
        self.store = URL(filePath: store)
        rest = Array(positional.dropFirst())
        self.values = values
        self.flags = flags
    }

    /// Splits `--name=value`.
    private static func split(_ word: String) -> (String, String?) {
        let parts = word.dropFirst(2)
            .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    /// - Throws: `UsageError` if there are positional arguments after the store.
    func requireOnlyStore() throws {
        guard let extra = rest.first else { return }
        throw UsageError("the command takes no argument \"\(extra)\" after the store")
    }

    var isJSON: Bool { flags.contains("json") }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    func text(_ name: String) -> String? { values[name] }

    func sequence(_ name: String) throws -> SequenceNumber? {
        guard let text = values[name] else { return nil }
        guard let number = UInt64(text) else {
            throw UsageError("--\(name) takes the number of an event, not \"\(text)\"")
        }
        return SequenceNumber(rawValue: number)
    }

    func date(_ name: String) throws -> Date? {
        guard let text = values[name] else { return nil }
        guard let date = Self.date(text) else {
            throw UsageError("--\(name) takes a time such as 2026-03-01T12:00:00Z, not \"\(text)\"")
        }
        return date
    }

    /// Parses the number of an event, or a time.
    func moment(_ name: String) throws -> Moment? {
        guard let text = values[name] else { return nil }
        if let number = UInt64(text) { return .sequence(SequenceNumber(rawValue: number)) }
        if let date = Self.date(text) { return .date(date) }
        throw UsageError(
            "--\(name) takes the number of an event or a time such as 2026-03-01T12:00:00Z, "
                + "not \"\(text)\"")
    }

    private static func date(_ text: String) -> Date? {
        let styles: [Date.ISO8601FormatStyle] = [
            .iso8601, .init(includingFractionalSeconds: true),
        ]
        for style in styles {
            if let date = try? style.parse(text) { return date }
        }
        return try? Date.ISO8601FormatStyle.iso8601.parse(text + "T00:00:00Z")
    }
}
