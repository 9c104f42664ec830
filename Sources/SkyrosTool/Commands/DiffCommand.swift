import Foundation
import Skyros

/// `skyros diff`: what differs between two moments, or between two stores.
struct DiffCommand: Command {
    static let name = "diff"
    static let summary = "Show the records that differ between two moments, or two stores"
    static let usage = "STORE A [B] [--with STORE] [--entity E] [--json]"
    static let details = """
          A, B          moments: the number of an event, -10 for the tenth before the last, or a
                        time; B is the newest state if it is left out
          --with STORE  B, or the newest state, is that of another store; the first event that only
                        one of them has is named
          --entity E    only the records of this entity

        A field has its value at A and then at B. The exit code is 1 if anything differs.

          skyros diff Orders.skyros -10
          skyros diff Orders.skyros 2026-05-09 2026-05-10 --entity Order
          skyros diff Orders.skyros 1000 1000 --with Copy.skyros
        """
    static let options: Set<String> = ["with", "entity"]

    private let arguments: Arguments
    private let moments: [MomentArgument]

    init(_ arguments: Arguments) throws {
        guard (1...2).contains(arguments.rest.count) else {
            throw UsageError("diff needs one moment or two")
        }
        self.arguments = arguments
        moments = try arguments.rest.map { try MomentArgument($0, for: "diff") }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        let other = try arguments.text("with").map { try Archive(at: URL(filePath: $0)) }
        let bar = ProgressBar(ProgressBar.Step(.reading, 0.5), ProgressBar.Step(.reading, 0.5))
        defer { bar.finish() }
        let before = try state(moments[0], in: archive, bar)
        let after = try state(moments.count > 1 ? moments[1] : nil, in: other ?? archive, bar)
        let entity = arguments.text("entity")
        if let entity { try archive.require(entity) }
        let differences = after.differences(from: before, in: entity)
        let event = try other.flatMap { try archive.firstDifference(from: $0) }
        bar.finish()
        if let event, !arguments.isJSON {
            try output.line("the stores differ from event \(event) on")
        }
        for difference in differences { try print(difference, to: output) }
        return differences.isEmpty
    }

    private func state(
        _ moment: MomentArgument?, in archive: Archive, _ bar: ProgressBar
    ) throws -> Snapshot {
        let total = archive.sequence.rawValue
        return try archive.snapshot(asOf: moment?.moment(in: archive)) {
            bar.update(.reading, $0.rawValue, of: total)
        }
    }

    private func print(_ difference: RecordDifference, to output: Output) throws {
        if arguments.isJSON { return try output.json(EventText.json(difference)) }
        for line in try EventText.lines(difference) { try output.line(line) }
    }
}
