import Foundation
import TestSupport

/// A store of the program `CrashWriter` with its file of acknowledgements, in a new directory.
struct WriterStore {
    let directory: TemporaryDirectory
    let writer: Program

    init() throws {
        directory = try TemporaryDirectory()
        writer = try Program("CrashWriter")
    }

    var store: String { directory.store.path }
    var acknowledgements: String { directory.url.appending(path: "acknowledged").path }

    var strace: Strace {
        Strace(program: writer, trace: directory.url.appending(path: "trace"))
    }

    func arguments(_ role: String, _ level: String, _ options: String...) -> [String] {
        [role, store, acknowledgements, level] + options
    }

    /// The numbers of the acknowledged events, in the order of acknowledgement.
    func acknowledged() throws -> [Int] {
        guard FileManager.default.fileExists(atPath: acknowledgements) else { return [] }
        return try String(contentsOfFile: acknowledgements, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .compactMap { Int($0) }
    }

    /// A plain copy, without the trace of what has happened.
    func copy() throws -> WriterStore {
        let copy = try WriterStore()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        where name != "trace" {
            try FileManager.default.copyItem(
                at: directory.url.appending(path: name),
                to: copy.directory.url.appending(path: name))
        }
        return copy
    }

    /// The paths of the store and of everything in it.
    func paths() throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: store)
        return [store] + names.map { "\(store)/\($0)" }
    }
}
