import Foundation
import Skyros

/// Writes a store for the repository: complete, or not at all.
enum NewStore {
    /// Does nothing if there is something at `url`.
    static func write(
        to url: URL, _ types: [any Entity.Type], _ write: (Store) throws -> Void
    ) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: url.path) else { return }
        let folder = url.deletingLastPathComponent()
        let unfinished = folder.appending(path: ".\(url.lastPathComponent).unfinished")
        try? files.removeItem(at: unfinished)
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            let store = try Store(at: unfinished, entities: types)
            try write(store)
            try store.close()
            try files.moveItem(at: unfinished, to: url)
        } catch {
            // An incomplete store is useless. The first error counts.
            try? files.removeItem(at: unfinished)
            throw error
        }
    }
}
