public import Foundation
public import Skyros

/// A test that a log, kept in the repository, still leads to what it has led to.
///
///     @Test func `last year's orders add up to the same`() throws {
///         try GoldenLog(at: golden, entities: Order.self)
///             .executing(PlaceOrder.self)
///             .showing("revenue") { try $0.sum(Order.self, of: \.totalCents) }
///             .check()
///     }
///
/// The directory has the store, `log.skyros`, and `expected.txt`: all records after the last event
/// as today's types read them, the commands that decide otherwise today, and what is shown. The
/// first run writes that file and fails: look at it, and commit it. A later run with another result
/// fails, and shows the lines that differ. If the new result is right, delete the file, run the
/// test again, and the review of the change shows the difference.
///
/// The store is a part of a production log, from `skyros fixture` with pseudonyms, or what
/// ``recording(_:)`` writes. It is only read.
public struct GoldenLog: Sendable {
    private typealias View = @Sendable (Snapshot) throws -> any Encodable

    private let directory: URL
    private let entities: [any Entity.Type]
    private var commands: [any Command.Type] = []
    private var views: [(name: String, show: View)] = []

    /// The names of the files in the directory.
    private static let storeName = "log.skyros"
    private static let expectedName = "expected.txt"

    /// A golden log in a directory, with today's types of its entities.
    public init(at directory: URL, entities: any Entity.Type...) {
        self.directory = directory
        self.entities = entities
    }

    private var storeURL: URL { directory.appending(path: Self.storeName) }
    private var expectedURL: URL { directory.appending(path: Self.expectedName) }

    /// Writes the store, unless the directory has it already.
    ///
    /// - Parameter write: gets the empty store.
    /// - Throws: `StoreError`; what `write` throws, and no store is left then.
    public func recording(_ write: (Store) throws -> Void) throws -> GoldenLog {
        try NewStore.write(to: storeURL, entities, write)
        return self
    }

    /// Also executes the recorded commands of these types again, with today's code, and shows those
    /// that decide otherwise.
    public func executing(_ commands: any Command.Type...) -> GoldenLog {
        copy { $0.commands += commands }
    }

    /// Also shows a value that the last state has.
    ///
    /// - Parameters:
    ///   - name: stands above the value.
    ///   - value: gets the state; its result is shown as JSON with sorted keys.
    public func showing<Value: Encodable>(
        _ name: String, _ value: @escaping @Sendable (Snapshot) throws -> Value
    ) -> GoldenLog {
        copy { $0.views.append((name, value)) }
    }

    private func copy(_ change: (inout GoldenLog) -> Void) -> GoldenLog {
        var copy = self
        change(&copy)
        return copy
    }

    /// Replays the log, and compares the result with the expected one; writes it if there is none,
    /// and fails then, so that a file that was not committed is noticed.
    ///
    /// - Complexity: O(events + records).
    /// - Throws: ``GoldenLogFailure`` with the lines that differ; ``ReplayFailure`` for a record
    ///   that does not decode; `StoreError` if the log cannot be read; what the closures throw.
    public func check() throws {
        let found = try lines()
        guard FileManager.default.fileExists(atPath: expectedURL.path) else {
            let text = found.joined(separator: "\n") + "\n"
            try Data(text.utf8).write(to: expectedURL, options: .atomic)
            throw GoldenLogFailure(recording: found, to: expectedURL.path)
        }
        let text = try String(contentsOf: expectedURL, encoding: .utf8)
        var expected = text.components(separatedBy: "\n")
        // The file ends with a newline.
        if expected.last?.isEmpty == true { expected.removeLast() }
        if found != expected {
            throw GoldenLogFailure(found: found, expected: expected, file: expectedURL.path)
        }
    }

    /// The result in lines.
    private func lines() throws -> [String] {
        let archive = try Archive(at: storeURL, entities: entities)
        let state = try Replay(of: archive).run().state
        var lines = ["After event \(state.sequence)"]
        for entity in state.entities {
            lines += ["", entity]
            try state.forEachRecord(entity) { record in
                lines.append("  \(try FieldValue.map(record.fields.values).jsonText())")
            }
        }
        for (name, show) in views {
            let value = try FieldValue(cbor: CBOREncoder().encode(show(state)))
            let json = value.jsonText(pretty: true)
            lines += ["", name] + json.split(separator: "\n").map { "  \($0)" }
        }
        if !commands.isEmpty {
            let differences = try archive.reexecute(commands, differencesMax: .max).differences
            lines += ["", "Commands that decide otherwise today: \(differences.count)"]
            lines += differences.flatMap { "\($0)".split(separator: "\n").map { "  \($0)" } }
        }
        return lines
    }
}

/// The result of a ``GoldenLog`` that is another one than expected.
public struct GoldenLogFailure: Error, CustomStringConvertible {
    /// The lines that are missing, in their order.
    public let missing: [String]
    /// The lines that are new.
    public let added: [String]
    /// Whether nothing was expected, so that the file was written.
    public let isRecorded: Bool
    private let file: String

    init(recording lines: [String], to file: String) {
        (missing, added) = ([], lines)
        isRecorded = true
        self.file = file
    }

    init(found: [String], expected: [String], file: String) {
        let difference = found.difference(from: expected)
        missing = difference.removals.map(Self.line)
        added = difference.insertions.map(Self.line)
        isRecorded = false
        self.file = file
    }

    private static func line(_ change: CollectionDifference<String>.Change) -> String {
        switch change {
        case .insert(_, let line, _), .remove(_, let line, _): line
        }
    }

    /// The number of lines of each kind that a description shows.
    private static let shownMax = 20

    /// The lines that differ, and what to do.
    public var description: String {
        func list(_ lines: [String], _ mark: String) -> [String] {
            let rest = lines.count - Self.shownMax
            return lines.prefix(Self.shownMax).map { "\(mark) \($0)" }
                + (rest > 0 ? ["\(mark) and \(rest) more lines"] : [])
        }
        if isRecorded {
            return "\(file) was written, with \(added.count) lines; if they are right, commit it"
        }
        let head =
            "the log leads to another result than \(file) has; if this one is right, delete the "
            + "file, run the test again, and commit what it writes"
        return ([head] + list(missing, "-") + list(added, "+")).joined(separator: "\n")
    }
}
