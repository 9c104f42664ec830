/// Where SQLite, which opens its files by itself, finds those in a store's directory.
package struct DatabaseDirectory: Hashable, Sendable {
    /// The directory's path. No part of it is a symbolic link.
    package let path: String
    /// The name of the file system, as registered with SQLite, that has this path; nil for the
    /// operating system's.
    package let vfs: String?
    /// The directory that the path is to lead to; nil for whatever is there.
    private let identity: System.FileIdentity?

    package init(path: String, vfs: String? = nil) {
        self.path = path
        self.vfs = vfs
        identity = nil
    }

    /// The directory of a store that is open, by its path.
    init(path: String, identity: System.FileIdentity) {
        self.path = path
        vfs = nil
        self.identity = identity
    }

    /// Whether the path still leads to the directory: somebody may have moved a store that is open,
    /// and put another one in its place, whose files are not to be touched.
    package var isInPlace: Bool {
        identity == nil || identity == System.identity(ofDirectoryAt: path)
    }

    /// The path of a file in the directory.
    package func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }
}
