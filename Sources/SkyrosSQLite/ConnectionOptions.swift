package import SkyrosDisk

/// How a database is opened.
package struct ConnectionOptions: Sendable {
    /// Where a database is stored.
    package enum Location: Sendable {
        /// A file. No part of the path may be a symbolic link: resolve the directory first.
        case file(String)
        /// The memory of this process, until the connection closes.
        case memory
    }

    /// Whether a connection may write.
    package enum Access: Sendable {
        /// Reads and writes; an absent file is created.
        case readWriteCreate
        /// Reads only; an absent file is an error.
        case readOnly
    }

    package var location: Location
    package var access: Access
    /// How long a call waits for another connection's lock, in milliseconds. Default: 0.
    package var busyTimeoutMilliseconds: Int32
    /// The size of the page cache. Default: 16 MiB.
    package var cacheBytesMax: Int
    /// The name of the registered SQLite VFS to use; nil is the default one of the platform.
    package var vfs: String?
    /// Lets this connection change its files; nil if it always may. Only for the default VFS.
    package var gate: Gate?
    /// Keeps the rollback journal in memory, so that there is no second file: for a new file that
    /// is useless unless it is complete. Default: false.
    package var keepsJournalInMemory = false
    /// Whether the file is another program's, which may have any journal mode. Default: false.
    package var isForeign = false

    /// How a connection is kept from changing its files.
    package struct Gate: Sendable {
        let gate: ChangeGate
        /// Makes the names in the file's directory durable; returns whether that succeeded.
        let syncDirectory: @Sendable () -> Bool

        package init(_ gate: ChangeGate, syncDirectory: @escaping @Sendable () -> Bool) {
            self.gate = gate
            self.syncDirectory = syncDirectory
        }
    }

    package init(
        _ location: Location, access: Access = .readWriteCreate,
        busyTimeoutMilliseconds: Int32 = 0, cacheBytesMax: Int = 16 << 20, vfs: String? = nil,
        gate: Gate? = nil
    ) {
        self.gate = gate
        self.location = location
        self.access = access
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        self.cacheBytesMax = cacheBytesMax
        self.vfs = vfs
    }
}
