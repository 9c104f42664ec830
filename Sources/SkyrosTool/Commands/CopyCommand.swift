import Foundation
import Skyros

/// `skyros copy`: brings a log from files to a server, or back.
struct CopyCommand: Command {
    static let name = "copy"
    static let summary = "Copy a log to a PostgreSQL server, or from one"
    static let usage = "STORE TARGET [--json]"
    static let details = """
        STORE and TARGET are the directory of a store and postgresql://HOST/DATABASE[#SCHEMA], or
        the other way round. The schema is skyros if none is named. TARGET is new, or an earlier
        copy, of which only what it lacks is copied. All of it is read back from the server, and
        must lead to the same records.

        TARGET has the store's id: it is the same store. Write to one of the two only: nodes to the
        server, an app to the directory. History that was pruned cannot be copied to a server.
        An interrupted copy is continued by the next one; until then a directory is not opened as a
        store.

          skyros copy Orders.skyros postgresql://db1,db2,db3/shop
          skyros copy postgresql://db1,db2,db3/shop#orders Orders.skyros
        """
    static let readsStore = false

    private let arguments: Arguments
    private let target: String

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count == 1, let target = arguments.rest.first else {
            throw UsageError("copy needs a target")
        }
        guard (arguments.server == nil) != (ServerArgument(target) == nil) else {
            throw UsageError("copy needs the directory of a store and a server; see also backup")
        }
        self.arguments = arguments
        self.target = target
    }

    func run(_ output: Output) throws -> Bool {
        let bar = ProgressBar(ProgressBar.Step(.sending, 0.6), ProgressBar.Step(.checking, 0.4))
        defer { bar.finish() }
        let report =
            if let server = ServerArgument(target) {
                try Archive(at: arguments.store).copy(to: server.place(.writer)) { bar.update($0) }
            } else {
                try copyFromServer(bar)
            }
        bar.finish()
        if arguments.isJSON {
            try output.json([
                "sequence": .integer(Int128(report.sequence.rawValue)),
                "copiedEvents": .integer(Int128(report.copiedEvents)),
                "digest": .text(report.digest.description),
            ])
        } else {
            try output.line(
                "\(report.copiedEvents) events copied; both end with event \(report.sequence) and "
                    + "have the digest \(report.digest)")
        }
        return true
    }

    private func copyFromServer(_ bar: ProgressBar) throws -> ServerCopyReport {
        guard let server = arguments.server else { throw UsageError("copy needs a server") }
        return try Archive.copy(from: server.place(.reader), to: URL(filePath: target)) {
            bar.update($0)
        }
    }
}
