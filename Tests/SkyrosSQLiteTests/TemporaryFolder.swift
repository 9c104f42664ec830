import Foundation

/// A folder of its own for a test, removed with its content when the value goes away.
final class TemporaryFolder {
    let url: URL

    init() throws {
        // The name needs no determinism: nothing that is stored depends on it.
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "skyros-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        _ = try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String {
        url.appending(path: name).path(percentEncoded: false)
    }
}
