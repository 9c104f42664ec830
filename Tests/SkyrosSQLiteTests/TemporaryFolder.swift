import Foundation

/// A folder of its own for a test, removed with its content when the value goes away.
final class TemporaryFolder {
    let url: URL

    init() throws {
        // The name needs no determinism: nothing that is stored depends on it.
        let temporary = FileManager.default.temporaryDirectory
            .appending(path: "skyros-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        // No part of a database's path may be a symbolic link, which `/var` of a Mac is.
        guard let resolved = realpath(temporary.path(percentEncoded: false), nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        defer { free(resolved) }
        url = URL(filePath: String(cString: resolved), directoryHint: .isDirectory)
    }

    deinit {
        _ = try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String {
        url.appending(path: name).path(percentEncoded: false)
    }
}
