import Foundation
import Skyros

/// `skyros salvage`: a new store with what a damaged one still gives.
struct SalvageCommand: Command {
    static let name = "salvage"
    static let summary = "A new store with the events of a damaged one, up to the damage"
    static let usage = "STORE --into NEWSTORE [--after-gap FILE] [--json]"
    static let details = """
        Copies the events before the first damage, each as it was, to a new store, and says what was
        saved and what was lost. The damaged store is not changed.

          --into NEWSTORE    the directory of the new store; nothing may be in it yet
          --after-gap FILE   a new file for the events that can be read behind the damage, one
                             JSON object a line as in `skyros log --json`

        Events behind a gap are not part of the new store: they were made on a state that is not
        known any more. Read them, and decide. The exit code is 0 once the new store is whole and
        durable, whatever was lost; `skyros verify` is the command that answers with it.

          skyros salvage Orders.skyros --into Saved.skyros --after-gap rest.jsonl
        """
    static let options: Set<String> = ["into", "after-gap"]

    private let arguments: Arguments
    private let target: URL
    private let rest: URL?

    init(_ arguments: Arguments) throws {
        guard arguments.rest.isEmpty else { throw UsageError("salvage takes the store alone") }
        guard let into = arguments.text("into") else { throw UsageError("salvage needs --into") }
        self.arguments = arguments
        target = URL(filePath: into)
        rest = arguments.text("after-gap").map { URL(filePath: $0) }
        if let rest, Self.lies(rest, in: arguments.store) || Self.lies(rest, in: target) {
            throw UsageError("--after-gap names a file beside the stores, not in one of them")
        }
    }

    private static func lies(_ file: URL, in directory: URL) -> Bool {
        let directory = directory.resolvingSymlinksInPath().path(percentEncoded: false)
        let parent = file.deletingLastPathComponent().resolvingSymlinksInPath()
        return (parent.path(percentEncoded: false) + "/")
            .hasPrefix(directory.hasSuffix("/") ? directory : directory + "/")
    }

    func run() throws -> Bool {
        let archive = try Archive(at: arguments.store, reading: .upToDamage)
        var report: SalvageReport?
        if let rest {
            // The file first: if it cannot be written, there is no store yet to take back.
            try TextSink.withNewFile(at: rest) { sink in
                report = try salvage(archive)
                try writeRest(of: archive, behind: report?.sequence, to: sink)
            }
        } else {
            report = try salvage(archive)
        }
        if let report { print(report) }
        return true
    }

    private func salvage(_ archive: Archive) throws -> SalvageReport {
        try archive.withBar("salvaging") { try archive.salvage(into: target, progress: $0) }
    }

    private func writeRest(
        of archive: Archive, behind sequence: SequenceNumber?, to sink: TextSink
    ) throws {
        try archive.forEachReadableEvent(after: sequence) { event in
            let object = try EventText.json(event).compactMapValues { $0 }
            try sink.line(FieldValue.map(object).jsonText())
            return true
        }
    }

    private func print(_ report: SalvageReport) {
        if arguments.isJSON {
            Output.json([
                "sequence": .integer(Int128(report.sequence.rawValue)),
                "digest": .text(report.digest.description),
                "isComplete": .bool(report.isComplete),
                "damages": .array(report.damages.map { DamageText.json($0) }),
                "tornTail": report.tornTail.map { DamageText.json($0) },
                "afterGap": DamageText.json(report.readableAfterDamage),
            ])
            return
        }
        for damage in report.damages { Output.line("damaged: \(DamageText.line(damage))") }
        if let torn = report.tornTail { Output.line("torn: \(DamageText.line(torn))") }
        for range in report.readableAfterDamage {
            let place = rest.map { "written to \($0.path(percentEncoded: false))" }
            Output.line(
                "behind the damage: \(DamageText.line(range)), \(place ?? "left out; --after-gap")")
        }
        Output.line("saved: \(report.sequence) events, digest \(report.digest)")
    }
}
