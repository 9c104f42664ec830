import Foundation
import TestSupport

/// A store of the writer, with its file of acknowledgements, in a folder of its own.
struct WriterStore {
    let folder: TemporaryFolder
    let writer: Program

    init() throws {
        folder = try TemporaryFolder()
        writer = try Program("CrashWriter")
    }

    var store: String { folder.store.path }
    var acknowledgements: String { folder.url.appending(path: "acknowledged").path }

    /// The tracer for the writer.
    var strace: Strace {
        Strace(program: writer, trace: folder.url.appending(path: "trace"))
    }

    func arguments(_ role: String, _ level: String, _ options: String...) -> [String] {
        [role, store, acknowledgements, level] + options
    }

    /// The numbers that were acknowledged, in their order.
    func acknowledged() throws -> [Int] {
        guard FileManager.default.fileExists(atPath: acknowledgements) else { return [] }
        return try String(contentsOfFile: acknowledgements, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .compactMap { Int($0) }
    }

    /// The paths of the store and of all that is in it.
    func paths() throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: store)
        return [store] + names.map { "\(store)/\($0)" }
    }
}
