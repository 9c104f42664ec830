import Foundation
import Skyros

/// `skyros fixture`: a small store without what nobody may see, for a test.
struct FixtureCommand: Command {
    static let name = "fixture"
    static let summary = "Write a new store with the last events, and pseudonyms for some fields"
    static let usage = """
        STORE --into DIRECTORY [--last N] [--to N] [--scrub ENTITY.FIELD,…] [--json]
        """
    static let details = """
          --into DIRECTORY  the new store: nothing, or an empty directory
          --last N          only the last N events; the records before them are inserted first
          --to N            end with this event
          --scrub FIELDS    replace the values of these fields by pseudonyms, such as name-12; the
                            same value has the same one. A nested field is written as
                            Customer.address.street. May be given more than once

        What is scrubbed is also replaced where it stands elsewhere: in other fields, ids, commands,
        results, actors, reasons and tags; texts of three bytes and more also inside of others.
        Numbers of less than seven digits and truth values are replaced only in their fields, and
        in commands under the field's name. `skyros schema` lists the fields.

        Where events have other numbers than in the store, the tag skyros.event has the original.

          skyros fixture Shop.skyros --into Tests/Fixtures/Shop.skyros --last 1000 \\
            --scrub Customer.name,Customer.phone
        """
    static let options: Set<String> = ["into", "last", "to", "scrub"]
    static let repeatable: Set<String> = ["scrub"]

    private let arguments: Arguments
    private let target: URL
    private let count: Int?
    private let last: SequenceNumber?
    private let scrubbing: Scrubbing

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
        guard let path = arguments.text("into"), !path.isEmpty else {
            throw UsageError("fixture needs --into with the directory of the new store")
        }
        target = URL(filePath: path)
        count = try arguments.number("last", "a number of events").map { Int(clamping: $0) }
        last = try arguments.sequence("to")
        scrubbing = try Self.scrubbing(arguments)
    }

    /// The fields of the options `--scrub`.
    static func scrubbing(_ arguments: Arguments) throws -> Scrubbing {
        let names = arguments.lists("scrub")
        do {
            return names.isEmpty ? .none : try Scrubbing(names)
        } catch let error as StoreError {
            throw UsageError("--scrub: \(error.message)")
        }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.reading(asOf: last.map { .sequence($0) }, at: arguments.store)
        if last == nil { archive.warnOfLostEvents() }
        let bar = ProgressBar(
            ProgressBar.Step(.reading, 0.3), ProgressBar.Step(.writing, 0.4),
            ProgressBar.Step(.checking, 0.2), ProgressBar.Step(.digesting, 0.1))
        defer { bar.finish() }
        let report = try NewFile.writeDirectory(at: target) { directory in
            try archive.writeFixture(
                into: directory, keeping: count, through: last, scrubbing: scrubbing
            ) { bar.update($0) }
        }
        bar.finish()
        if arguments.isJSON {
            try output.json([
                "sequence": .integer(Int128(report.sequence.rawValue)),
                "firstOriginalEvent": .integer(Int128(report.firstOriginalEvent.rawValue)),
                "digest": .text("\(report.digest)"),
                "pseudonyms": .integer(Int128(report.pseudonymCount)),
            ])
        } else {
            try output.line(
                "\(report.sequence) events, from event \(report.firstOriginalEvent) of the store "
                    + "on; \(report.pseudonymCount) values replaced; digest \(report.digest)")
        }
        return true
    }
}
