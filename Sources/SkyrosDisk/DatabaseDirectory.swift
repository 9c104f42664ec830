/// The directory of a store as SQLite, which opens its own files, needs it.
package struct DatabaseDirectory: Hashable, Sendable {
    /// The directory's path. No part of it is a symbolic link.
    package let path: String
    /// The SQLite VFS that has this path; nil for SQLite's default.
    package let vfs: String?
    /// The directory that must be at the path; nil if any may.
    private let identity: System.FileIdentity?

    package init(path: String, vfs: String? = nil) {
        self.path = path
        self.vfs = vfs
        identity = nil
    }

    /// The directory of an open store.
    init(path: String, identity: System.FileIdentity) {
        self.path = path
        vfs = nil
        self.identity = identity
    }

    /// Whether the path still leads to the directory. Another store may be there if an open store
    /// was moved, and its files must not be touched.
    package var isInPlace: Bool {
        identity == nil || identity == System.identity(ofDirectoryAt: path)
    }

    /// The path of a file in the directory.
    package func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }
}
