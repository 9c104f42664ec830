package import Foundation

/// A directory for one test, removed when the last reference is released.
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

    /// The place for the test's store.
    package var store: URL { url.appending(path: "Test.skyros") }

    /// The bytes of all files in the directory and below, by relative path.
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

// MARK: - Files by name

extension TemporaryDirectory {
    /// The path without symbolic links and without a trailing slash.
    package var path: String { url.path }

    /// The path of the file with this name in the directory.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
    }

    package func bytes(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    /// The POSIX permissions of the file or directory with this name, such as 0o600.
    package func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
