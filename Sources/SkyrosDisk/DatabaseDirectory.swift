/// The directory of a store as SQLite, which opens its own files, needs it.
package struct DatabaseDirectory: Hashable, Sendable {
    /// The directory's path. No part of it is a symbolic link.
    package let path: String
    /// The SQLite VFS that has this path; nil for SQLite's default.
    package let vfs: String?
    /// The directory that must be at the path; nil if any may.
    private let identity: System.FileIdentity?
    /// Lets SQLite change its files; nil if it always may.
    package let gate: ChangeGate?

    package init(path: String, vfs: String? = nil) {
        self.path = path
        self.vfs = vfs
        identity = nil
        gate = nil
    }

    /// The directory of an open store.
    init(path: String, identity: System.FileIdentity, gate: ChangeGate) {
        self.gate = gate
        self.path = path
        vfs = nil
        self.identity = identity
    }

    /// Whether the path still leads to the directory. Another store may be there if an open store
    /// was moved, and its files must not be touched.
    package var isInPlace: Bool {
        identity == nil || identity == System.identity(ofDirectoryAt: path)
    }

    /// Drops all locks that this process has on the file `name`, as SQLite takes them: they belong
    /// to the process, and end when any descriptor of the file is closed.
    ///
    /// Source: https://www.sqlite.org/howtocorrupt.html, section 2.2. Close the gate first.
    package func dropLocks(of name: String) {
        guard gate != nil else { return }
        System.openAndClose(path(of: name))
    }

    /// Makes the names in the directory durable; returns whether that succeeded.
    package func sync() -> Bool {
        (try? PosixDirectory(path: path).sync()) != nil
    }

    /// The path of a file in the directory.
    package func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }
}
