/// The interface to files: every file operation of Skyros passes through it.
///
/// A disk is rooted at the directory of one store, and paths are relative to it. It is implemented
/// by the operating system (`PosixDisk`), by plain memory (`MemoryDisk`), and by a simulation that
/// fails and crashes on purpose.
///
/// A disk is responsible for:
/// - whole writes: it continues short writes, and repeats interrupted calls where that is safe;
/// - plain names of regular files in the store's directory;
/// - errors that carry the operation, the path and the system's error number.
///
/// A disk is not responsible for:
/// - the order of syncs and renames, which is the log's task;
/// - repeating a failed sync, which is never right.
///
/// Every method may be called from any thread, and every one may block.
package protocol Disk: Sendable {
    /// The identity of this boot of the machine; empty if the system has none. No power cut came
    /// between two writes of the same boot.
    var bootID: String { get }

    /// The identity of the store's directory, which a copy does not have; nil if the system has
    /// none. It stays the same when the directory is renamed.
    var directoryID: UInt64? { get }

    /// Creates `directory`, unless it exists. It survives a power cut once the root is synced.
    func makeDirectory(_ directory: Directory) throws(DiskError)

    /// Removes `directory`, which must be empty; does nothing if it does not exist.
    func removeDirectory(_ directory: Directory) throws(DiskError)

    /// The names in `directory`, sorted; none if the directory does not exist.
    func list(_ directory: Directory) throws(DiskError) -> [String]

    /// The size and identity of the file at `path`; nil if there is none.
    func status(of path: DiskPath) throws(DiskError) -> FileStatus?

    /// Opens the regular file at `path`.
    func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile

    /// Creates the file at `path` with the content of `source`, which may be of another disk; the
    /// two share their space on the medium until one is changed. Returns nil, and creates nothing,
    /// if the file system cannot do that.
    ///
    /// The content is not durable before a sync.
    func clone(_ source: any DiskFile, to path: DiskPath) throws(DiskError) -> (any DiskFile)?

    /// Renames `source` to `target` atomically, which replaces a file of that name.
    func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError)

    /// Removes the file at `path`; does nothing if there is none.
    func remove(_ path: DiskPath) throws(DiskError)

    /// Removes the store's directory, if it is empty; returns whether it did. The removal is
    /// durable on return. The disk cannot be used afterwards.
    func removeRoot() throws(DiskError) -> Bool

    /// Makes the names in `directory` durable.
    func syncDirectory(_ directory: Directory) throws(DiskError)

    /// Takes the exclusive lock of the store, or throws an error that names the holder.
    func lock() throws(DiskError) -> any DiskLock

    /// Refuses changes with `.suspended` from now on, until `resume`. When it returns, no change is
    /// in progress, and none follows. A sync may be in progress: it is not waited for.
    func suspend()

    func resume()

    /// The path of the store's directory for other programs; nil if the files are not the operating
    /// system's.
    var systemPath: String? { get }

    /// The store's directory as SQLite opens it; nil if SQLite cannot. Such a store has no
    /// checkpoint.
    var databaseDirectory: DatabaseDirectory? { get }
}

/// An open file. Positions are bytes from its start.
package protocol DiskFile: Sendable {
    /// Fills `buffer` from `position` on; returns fewer bytes only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(DiskError) -> Int

    /// Writes `bytes` at `position`. After an error, a part of them may be written.
    func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError)

    /// The current size and identity of the file, whatever its name.
    func status() throws(DiskError) -> FileStatus

    /// Extends the file to `size` bytes, allocated on the medium. The new part reads as zeros. A
    /// longer file stays as it is.
    func preallocate(to size: Int) throws(DiskError)

    /// Cuts or extends the file to `size` bytes.
    func truncate(to size: Int) throws(DiskError)

    /// Makes everything that was written before the call durable. A failure is final: what the
    /// medium holds is unknown then, and a second sync proves nothing.
    func sync() throws(DiskError)

    /// Lets later reads come from the medium and not from the system's cache, as far as the system
    /// knows how.
    func forgetCache()

    /// Closes the file. Not to be repeated after an error.
    func close() throws(DiskError)

    /// Sets the name that errors show, after a rename in the same directory.
    func wasRenamed(to name: String)
}

extension Disk {
    /// Does nothing, for a disk whose files no other process can reach.
    package func suspend() {}

    /// Does nothing, as `suspend`.
    package func resume() {}

    /// False, for a disk whose root cannot be removed.
    package func removeRoot() throws(DiskError) -> Bool { false }

    /// Nil, for a disk that is never copied.
    package var directoryID: UInt64? { nil }

    /// Nil, for a disk whose files cannot share space.
    package func clone(
        _ source: any DiskFile, to path: DiskPath
    ) throws(DiskError) -> (any DiskFile)? { nil }

    /// Nil, for files of this process only.
    package var databaseDirectory: DatabaseDirectory? { nil }
}

extension DiskFile {
    /// Does nothing, for a file that has no other cache than the test.
    package func forgetCache() {}

    /// Does nothing, for a file whose errors show no name.
    package func wasRenamed(to name: String) {}
}

/// The exclusive lock of a store, held until `release` or the end of the process.
package protocol DiskLock: Sendable {
    /// Throws in a forked child of the process that took the lock.
    func check() throws(DiskError)

    /// Removes the lock's file; the lock is still held. It is the last file that an erasure
    /// removes.
    func removeFile() throws(DiskError)

    func release()
}

extension DiskLock {
    /// Does nothing, for a lock that no child process can share.
    package func check() throws(DiskError) {}

    /// Does nothing, for a lock without a file.
    package func removeFile() throws(DiskError) {}
}

/// The directories of a store.
package enum Directory: String, Sendable, CaseIterable {
    case root = ""
    case events
    case quarantine
    /// The runs of the history, a cache.
    case history
    /// The positions of subscriptions.
    case subscriptions
}

/// The path of a file: a directory of the store and a plain name in it.
package struct DiskPath: Hashable, Sendable, CustomStringConvertible {
    package let directory: Directory
    package let name: String

    package init(_ directory: Directory, _ name: String) {
        self.directory = directory
        self.name = name
    }

    package var description: String {
        directory == .root ? name : "\(directory.rawValue)/\(name)"
    }
}

package enum OpenMode: Sendable {
    /// Reads an existing file.
    case read
    /// Reads and writes an existing file.
    case readWrite
    /// Creates a file, which replaces any other of that name.
    case create
}

package struct FileStatus: Equatable, Sendable {
    package var sizeBytes: Int
    /// Differs between two files that had the same name at different times.
    package var identity: UInt64

    package init(sizeBytes: Int, identity: UInt64) {
        self.sizeBytes = sizeBytes
        self.identity = identity
    }
}
