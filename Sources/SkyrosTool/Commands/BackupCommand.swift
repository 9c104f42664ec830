import Foundation
import Skyros

/// `skyros backup`: copies a store beside its writer, incrementally.
struct BackupCommand: Command {
    static let name = "backup"
    static let summary = "Copy a store beside its writer, or bring a copy up to date"
    static let usage = "STORE --into COPY [--to MOMENT | --follow] [--verify] [--json]"
    static let details = """
        Copies a store, also while a process writes it. If COPY is an earlier copy, only what it
        lacks is copied. Everything that is written is read again and compared with the store's
        hashes. COPY is an ordinary store without a checkpoint.

          --into COPY    the directory of the copy: missing, empty, or an earlier copy
          --to MOMENT    the copy ends with this event, or at this time: so a store as of any moment
                         is made from a copy
          --follow       keep the copy up to date, until interrupted
          --verify       read also what the copy has already, and copy again what is damaged

        An interruption leaves a copy that opens, and the next run continues it. A directory with
        another store, or with a store that has other or later events, is refused and not changed.
        A copy has the store's id. Write to one of the two only.

          skyros backup Orders.skyros --into /backup/Orders.skyros
          skyros backup Orders.skyros --into /backup/Orders.skyros --follow
          skyros backup /backup/Orders.skyros --into Then.skyros --to 2026-03-01T12:00:00Z
        """
    static let options: Set<String> = ["into", "to"]
    static let flags: Set<String> = ["follow", "verify"]

    private let arguments: Arguments
    private let target: URL
    private let moment: MomentArgument?

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        guard let into = arguments.text("into"), !into.isEmpty else {
            throw UsageError("backup needs --into")
        }
        self.arguments = arguments
        target = URL(filePath: into)
        moment = try arguments.moment("to")
        if moment != nil, arguments.has("follow") {
            throw UsageError("--to and --follow exclude each other")
        }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        if arguments.has("follow") {
            try follow(archive, output)
            return true
        }
        let moment = try moment?.moment(in: archive)
        let report = try withBar { progress in
            try archive.backup(
                to: target, asOf: moment, verifyingKept: arguments.has("verify"),
                progress: progress)
        }
        try print(report, to: output)
        return true
    }

    private func follow(_ archive: Archive, _ output: Output) throws {
        Interruption.awaitSignal()
        let backup = try archive.backup(following: target)
        do {
            var report = try withBar { progress in
                try backup.update(verifyingKept: arguments.has("verify"), progress: progress)
            }
            while true {
                try print(report, to: output)
                try output.flush()
                guard try waitForNews(backup) else { break }
                report = try backup.update()
            }
        } catch {
            // The first error counts.
            try? backup.close()
            throw error
        }
        try backup.close()
    }

    /// Waits until the store has changed; returns false if a signal came instead.
    private func waitForNews(_ backup: Backup) throws -> Bool {
        while !Interruption.wait(atMost: Backup.pollMilliseconds) {
            if try backup.hasNews() { return true }
        }
        return false
    }

    private func withBar<R>(_ body: ((BackupProgress) -> Void) throws -> R) rethrows -> R {
        let bar = ProgressBar(ProgressBar.Step(.copying))
        defer { bar.finish() }
        var total = 0
        let result = try body { progress in
            total = progress.totalBytes
            // The bar is drawn at round numbers only.
            bar.update(.copying, min(progress.copiedBytes, total - 1) & ~0xFF, of: total)
        }
        bar.update(.copying, total, of: total)
        return result
    }

    private func print(_ report: BackupReport, to output: Output) throws {
        let hash = String(report.chainHash, radix: 16)
        let digits = String(repeating: "0", count: 16 - hash.count) + hash
        if arguments.isJSON {
            try output.json([
                "sequence": .integer(Int128(report.sequence.rawValue)),
                "chainHash": .text(digits),
                "copiedFiles": .integer(Int128(report.copiedFiles)),
                "copiedBytes": .integer(Int128(report.copiedBytes)),
                "sharedFiles": .integer(Int128(report.sharedFiles)),
                "sharedBytes": .integer(Int128(report.sharedBytes)),
                "keptFiles": .integer(Int128(report.keptFiles)),
                "keptBytes": .integer(Int128(report.keptBytes)),
                "appendedEvents": .integer(Int128(report.appendedEvents)),
                "appendedBytes": .integer(Int128(report.appendedBytes)),
            ])
            return
        }
        var parts = ["\(files(report.copiedFiles, report.copiedBytes)) copied"]
        if report.sharedFiles > 0 {
            parts[0] += " (\(Output.bytes(report.sharedBytes)) share the originals' disk space)"
        }
        parts.append("\(files(report.keptFiles, report.keptBytes)) kept")
        parts.append("\(report.appendedEvents) events appended")
        try output.line(
            "event \(report.sequence), chain hash \(digits): \(parts.joined(separator: ", "))")
    }

    private func files(_ count: Int, _ bytes: Int) -> String {
        "\(count) \(count == 1 ? "file" : "files") (\(Output.bytes(bytes)))"
    }
}
