package import Foundation

/// A directory of its own for one test, removed when the test is done.
package final class TemporaryDirectory {
    package let url: URL

    package init() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "skyros-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        // No part of a database's path may be a symbolic link, which `/var` of a Mac is.
        guard let resolved = realpath(url.path(percentEncoded: false), nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        defer { free(resolved) }
        self.url = URL(filePath: String(cString: resolved), directoryHint: .isDirectory)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Where the test's store is, or will be.
    package var store: URL { url.appending(path: "Test.skyros") }

    /// The bytes of all files below, by their paths.
    package func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
            let file = url.appending(path: path)
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                contents[path] = try Data(contentsOf: file)
            }
        }
        return contents
    }
}

// MARK: - By names

extension TemporaryDirectory {
    /// Without symbolic links, and without a slash at its end.
    package var path: String { url.path }

    /// The path of what bears this name in the directory.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
    }

    package func bytes(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    /// What may be done with the file or directory of this name, such as 0o600.
    package func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
