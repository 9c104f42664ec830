/// Where SQLite, which opens its files by itself, finds those in a store's folder.
package struct DatabaseFolder: Hashable, Sendable {
    /// The folder's path. No part of it is a symbolic link.
    package let path: String
    /// The name of the file system, as registered with SQLite, that has this path; nil for the
    /// operating system's.
    package let vfs: String?

    package init(path: String, vfs: String? = nil) {
        self.path = path
        self.vfs = vfs
    }

    /// The path of a file in the folder.
    package func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }
}

extension Disk {
    /// The operating system's own folder, if this is one.
    package var databaseFolder: DatabaseFolder? {
        systemPath.map { DatabaseFolder(path: $0) }
    }
}
