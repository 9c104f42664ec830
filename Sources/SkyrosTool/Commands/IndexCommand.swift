import Foundation
import Skyros

/// `skyros index`: makes the runs of the history.
struct IndexCommand: Command {
    static let name = "index"
    static let summary = "Make the index of the history"
    static let usage = "STORE [--json]"
    static let details = """
        A store makes its index in the background once enough was written. This makes what is
        missing now: after the files in history/ were deleted or damaged, or before many questions
        to a copy. No process may have the store open for writing. A file that is damaged is moved
        to quarantine/.

          skyros index Orders.skyros
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        let bar = ProgressBar(ProgressBar.Step(.reading, 1))
        defer { bar.finish() }
        let total = archive.sequence.rawValue
        let count = try archive.indexHistory { bar.update(.reading, $0.rawValue, of: total) }
        bar.finish()
        if arguments.isJSON {
            try output.json([
                "sequence": .integer(Int128(archive.sequence.rawValue)),
                "files": .integer(Int128(count)),
            ])
        } else {
            let files = count == 1 ? "1 file was written" : "\(count) files were written"
            try output.line("history up to event \(archive.sequence): \(files)")
        }
        return true
    }
}
