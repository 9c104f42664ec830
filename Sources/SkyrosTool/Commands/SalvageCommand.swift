import Foundation
import Skyros

/// `skyros salvage`: copies the intact events of a damaged store to a new one.
struct SalvageCommand: Command {
    static let name = "salvage"
    static let summary = "Copy the events before the damage of a store to a new one"
    static let usage = "STORE --into NEWSTORE [--after-gap FILE | --from-checkpoint] [--json]"
    static let details = """
        Copies the events before the first damage unchanged to a new store, and reports what was
        saved and what was lost. A store whose oldest history was pruned keeps its floor. The
        damaged store is not changed.

          --into NEWSTORE    the directory of the new store; it must be empty or missing
          --after-gap FILE   a new file for the events that can be read after the damage, one
                             JSON object per line as in `skyros log --json`
          --from-checkpoint  take the records over from checkpoint.sqlite, without their history,
                             when the log is lost or ends before the checkpoint

        Events after a gap do not go to the new store, because the state that they changed is
        unknown. Read the file and decide what to do with them. The exit code is 0 if the new store
        is complete and durable, whatever was lost; the exit code of `skyros verify` tells whether
        a store is damaged.

          skyros salvage Orders.skyros --into Saved.skyros --after-gap rest.jsonl
        """
    static let options: Set<String> = ["into", "after-gap"]
    static let flags: Set<String> = ["from-checkpoint"]

    private let arguments: Arguments
    private let target: URL
    private let rest: URL?

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        guard let into = arguments.text("into") else { throw UsageError("salvage needs --into") }
        self.arguments = arguments
        target = URL(filePath: into)
        rest = arguments.text("after-gap").map { URL(filePath: $0) }
        if rest != nil, arguments.has("from-checkpoint") {
            throw UsageError("--after-gap is for the log, and --from-checkpoint does not read it")
        }
        if let rest, Self.lies(rest, in: arguments.store) || Self.lies(rest, in: target) {
            throw UsageError("--after-gap must name a file outside both stores")
        }
    }

    private static func lies(_ file: URL, in directory: URL) -> Bool {
        let directory = directory.resolvingSymlinksInPath().path(percentEncoded: false)
        let parent = file.deletingLastPathComponent().resolvingSymlinksInPath()
        return (parent.path(percentEncoded: false) + "/")
            .hasPrefix(directory.hasSuffix("/") ? directory : directory + "/")
    }

    func run(_ output: Output) throws -> Bool {
        let report = try arguments.has("from-checkpoint") ? salvageCheckpoint() : salvageLog()
        try print(report, to: output)
        return true
    }

    private func salvageCheckpoint() throws -> SalvageReport {
        let bar = ProgressBar(
            ProgressBar.Step(.loading, 0.3), ProgressBar.Step(.writing, 0.3),
            ProgressBar.Step(.checking, 0.2), ProgressBar.Step(.digesting, 0.2))
        defer { bar.finish() }
        return try writeStore { directory in
            try Archive.salvageCheckpoint(of: arguments.store, into: directory) { bar.update($0) }
        }
    }

    private func salvageLog() throws -> SalvageReport {
        let bar = ProgressBar(
            ProgressBar.Step(.scanning, 0.2), ProgressBar.Step(.salvaging, 0.35),
            ProgressBar.Step(.checking, 0.35), ProgressBar.Step(.digesting, 0.05),
            ProgressBar.Step(.salvaging, 0.05))
        defer { bar.finish() }
        let archive = try Archive(at: arguments.store, reading: .upToDamage) { bar.update($0) }
        guard let rest else { return try salvage(archive, bar) }
        // The file first: if it cannot be created, no store must be removed.
        return try NewFile.writeText(at: rest) { sink in
            let report = try salvage(archive, bar)
            try writeRest(of: archive, after: report, to: sink, bar)
            return report
        }
    }

    private func salvage(_ archive: Archive, _ bar: ProgressBar) throws -> SalvageReport {
        try writeStore { directory in
            try archive.salvage(into: directory) { bar.update($0) }
        }
    }

    /// Calls `body` with a temporary directory, which becomes the new store.
    private func writeStore(_ body: (URL) throws -> SalvageReport) throws -> SalvageReport {
        if Self.lies(target.appending(path: "x"), in: arguments.store) {
            let path = target.path(percentEncoded: false)
            throw StoreError(.invalidInput, "\(path) is in the damaged store; name another place")
        }
        return try NewFile.writeDirectory(at: target, body)
    }

    private func writeRest(
        of archive: Archive, after report: SalvageReport, to sink: TextSink, _ bar: ProgressBar
    ) throws {
        guard let first = report.readableAfterDamage.first?.lowerBound else { return }
        let total = report.readableAfterDamage.reduce(0) { $0 + $1.count }
        var count = 0
        try archive.forEachReadableEvent(
            after: first.advanced(by: -1),
            skipping: { ErrorOutput.error("note: \($0.message); it is not in the file") }
        ) { event in
            let object = try EventText.json(event).compactMapValues { $0 }
            try sink.line(FieldValue.map(object).jsonText())
            count += 1
            bar.update(.salvaging, count, of: total)
            return true
        }
    }

    private func print(_ report: SalvageReport, to output: Output) throws {
        if arguments.isJSON {
            try output.json([
                "firstSequence": .integer(Int128(report.firstSequence.rawValue)),
                "sequence": .integer(Int128(report.sequence.rawValue)),
                "digest": .text(report.digest.description),
                "isComplete": .bool(report.isComplete),
                "damages": .array(report.damages.map { DamageText.json($0) }),
                "tornTail": report.tornTail.map { DamageText.json($0) },
                "afterGap": DamageText.json(report.readableAfterDamage),
                "lostEvents": report.lostEvents.map { DamageText.json([$0])[0] ?? .null },
                "adoptedSequence": report.adoptedSequence.map { .integer(Int128($0.rawValue)) },
            ])
            return
        }
        for damage in report.damages { try output.line("damaged: \(DamageText.line(damage))") }
        if let torn = report.tornTail { try output.line("torn: \(DamageText.line(torn))") }
        for range in report.readableAfterDamage {
            let place = rest.map { "written to \($0.path(percentEncoded: false))" }
            try output.line(
                "after the damage: \(DamageText.line(range)), "
                    + (place ?? "not copied; --after-gap writes them to a file"))
        }
        if let lost = report.lostEvents {
            try output.line(
                "lost: \(DamageText.line(lost)), which only the checkpoint holds; "
                    + "--from-checkpoint saves its records")
        }
        let what =
            report.adoptedSequence.map { "the records as of event \($0), without their history" }
            ?? DamageText.extent(from: report.firstSequence, through: report.sequence)
        try output.line("saved: \(what), digest \(report.digest)")
    }
}
