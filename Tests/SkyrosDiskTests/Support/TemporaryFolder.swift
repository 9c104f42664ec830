import Foundation

/// A folder of its own for one test, removed when the test is done.
final class TemporaryFolder {
    /// Without symbolic links, which `/var` of a Mac is.
    let path: String

    init() throws {
        // The name needs no determinism: nothing that is stored depends on it.
        let url = FileManager.default.temporaryDirectory
            .appending(path: "skyros-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of what bears this name in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
    }

    func bytes(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    /// What may be done with the file or folder of this name, such as 0o600.
    func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
