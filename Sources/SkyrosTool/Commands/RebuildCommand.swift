import Foundation
import Skyros
import SkyrosDisk

/// `skyros rebuild`: writes a new checkpoint from the log.
struct RebuildCommand: Command {
    static let name = "rebuild"
    static let summary = "Rebuild the checkpoint from the log"
    static let usage = "STORE [--to N] [--into PATH] [--json]"
    static let details = """
          --into PATH   write the SQLite file to this path, and do not change the store
          --to N        the state after this event; needs --into

        Without --into the checkpoint of the store is replaced; no process may have the store open
        for writing then. One that is damaged, or of another history, is moved to quarantine/; one
        that holds events that the log has lost is not replaced.

          skyros rebuild Orders.skyros
          skyros rebuild Orders.skyros --to 48213 --into then.sqlite
        """
    static let options: Set<String> = ["to", "into"]

    private let arguments: Arguments
    private let moment: Moment?
    private let target: URL?

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
        moment = try arguments.sequence("to").map { .sequence($0) }
        target = arguments.text("into").map { URL(filePath: $0) }
        guard moment == nil || target != nil else { throw UsageError("--to needs --into") }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.reading(asOf: moment, at: arguments.store)
        if moment == nil, target != nil { archive.warnOfLostEvents() }
        let bar = ProgressBar(
            ProgressBar.Step(.reading, 0.6), ProgressBar.Step(.writing, 0.3),
            ProgressBar.Step(.digesting, 0.1))
        defer { bar.finish() }
        let state = try archive.withCheckpointBar(bar, through: moment) { progress in
            if let target {
                try archive.writeNewCheckpoint(asOf: moment, to: target, progress: progress)
            } else {
                try rebuild(archive, progress)
            }
        }
        let digest = try state.digest { bar.update($0) }.description
        bar.finish()
        if arguments.isJSON {
            try output.json([
                "sequence": .integer(Int128(state.sequence.rawValue)), "digest": .text(digest),
            ])
        } else {
            try output.line("checkpoint at event \(state.sequence), digest \(digest)")
        }
        return true
    }

    private func rebuild(
        _ archive: Archive, _ progress: (CheckpointProgress) -> Void
    ) throws -> Snapshot {
        let path = arguments.store.appending(path: DiskPath.unfinishedCheckpoint.name)
            .path(percentEncoded: false)
        return try archive.rebuildCheckpoint(
            creating: { try UnfinishedFiles.make(path, $0) }, progress: progress)
    }
}
