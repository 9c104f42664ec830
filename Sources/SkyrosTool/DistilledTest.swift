import Foundation
import Skyros

/// A test for Swift Testing with a distilled history.
struct DistilledTest {
    let fileName: String
    let text: String

    /// The store beside the test.
    static let storeName = "history.skyros"

    /// - Parameters:
    ///   - store: the fixture, which says what may be shown of the event.
    ///   - name: that of the directory, from which the test gets its name.
    ///   - original: the name of the original store; nil if it may have a scrubbed value.
    ///   - entities: those of the original store: the command may read records that it does not
    ///     change.
    ///   - module: the one with the types; nil for a test that knows none.
    init(
        of history: DistilledHistory, in store: URL, named name: String, from original: String?,
        _ entities: [String], _ condition: SQLCondition, _ module: String?
    ) throws {
        let title = Self.title(named: name)
        fileName = "\(title)Tests.swift"
        let archive = try Archive(at: store)
        let last = archive.sequence
        let event = try archive.event(last)
        let parts = Parts(
            title: title, original: original ?? "the original store",
            number: history.event.sequence, last: last,
            event: event, entities: entities, history: history, condition: condition, module: module
        )
        text = try parts.text()
    }

    /// The name of the test in a directory with this name.
    static func title(named name: String) -> String {
        let plain = String(name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        let capital = plain.prefix(1).uppercased() + plain.dropFirst()
        return isIdentifier(capital) ? capital : "Case\(capital)"
    }

    /// Whether a text is an identifier of Swift, of ASCII.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.first, first == "_" || first.isASCII && first.isLetter else {
            return false
        }
        return text.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
}

/// What the text is made of.
private struct Parts {
    let title: String
    let original: String
    /// The event's number in the original store, and in the fixture.
    let number: SequenceNumber
    let last: SequenceNumber
    let event: Event?
    let entities: [String]
    let history: DistilledHistory
    let condition: SQLCondition
    let module: String?

    /// The name of the command that is executed again; nil if nothing is.
    private var command: String? {
        guard module != nil, let intent = event?.intent, intent.encodedOutput != nil,
            DistilledTest.isIdentifier(intent.name)
        else { return nil }
        return intent.name
    }

    func text() throws -> String {
        let before = last.advanced(by: -1)
        // The types of an app are not public.
        let tested = module.map { "\n@testable import \($0)\n" } ?? ""
        return """
            import Foundation
            import Skyros
            import Testing
            \(tested)
            \(try comment.map(Self.commentLine).joined(separator: "\n"))
            @Suite struct `\(title), from a log` {
                private let store = URL(filePath: #filePath)
                    .deletingLastPathComponent().appending(path: "\(DistilledTest.storeName)")

                @Test func `event \(number) does not break the condition`() throws {
                    let archive = try Archive(at: store\(types))
            \(note.map { "        // \($0)" }.joined(separator: "\n"))
                    let outcome = try WhatIf(in: archive\(commands))
                        .starting(after: \(before)).run()
            \(missing)        let answer = try outcome.query(
                        \(Self.literal(condition.sql)))
                    #expect(\(condition.expectation), "\\(outcome)")
                }
            }
            """
    }

    /// The event, as far as the fixture has it.
    private var comment: [String] {
        get throws {
            var lines = ["Event \(number) of \(Self.plain(original)) breaks a condition:", ""]
            lines += try event.map { try EventText.lines($0).map { Self.plain("    \($0)") } } ?? []
            lines += [
                "",
                "The store beside this file has \(history.recordCount) of the "
                    + "\(history.originalRecordCount) records before it, and the event as event "
                    + "\(last).",
                "In a Swift package, exclude it from the target, or copy it as a resource.",
            ]
            if module != nil {
                lines += [
                    "",
                    "Run it now: it must fail. Types have the names that they have in the log: "
                        + "adapt",
                    "those that the code calls otherwise.",
                ]
            }
            return lines
        }
    }

    /// A line of a comment, of at most 100 columns.
    private static func commentLine(_ text: String) -> String {
        let text = text.count > 96 ? text.prefix(95) + "…" : text
        return text.isEmpty ? "///" : "/// \(text)"
    }

    private static func plain(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private var types: String {
        let names = entities.filter { DistilledTest.isIdentifier($0) }
        guard module != nil, !names.isEmpty else { return "" }
        return ", entities: [\(names.map { "\($0).self" }.joined(separator: ", "))]"
    }

    private var commands: String { command.map { ", commands: [\($0).self]" } ?? "" }

    private var note: [String] {
        if command != nil { return ["The command is executed again, by the code of today."] }
        if module == nil {
            return [
                "This applies what the log says. With the types of its entities and commands, "
                    + "`WhatIf`", "executes the command again, by the code of today.",
            ]
        }
        return [
            "No command made the event, so it is applied as the log has it. Put the code that made",
            "it into `.skipping(\(last)).inserting(after: \(last.advanced(by: -1))) { tx in … }`.",
        ]
    }

    /// A mended command may refuse, but not for want of a record or of a type.
    private var missing: String {
        guard command != nil else { return "" }
        return """
                    let missing = outcome.problems.filter {
                        [.notFound, .unknownEntity].contains(($0.error as? StoreError)?.code)
                    }
                    #expect(missing.isEmpty, "keep the entity of the record: skyros distill --keep")

            """
    }

    /// A literal of Swift.
    private static func literal(_ text: String) -> String {
        text.debugDescription
    }
}
