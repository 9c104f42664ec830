/// The one door to the disk: everything that Skyros does to files, it does through this.
///
/// A disk is rooted at the directory of one store, and paths are relative to it. Behind the door
/// stand the operating system (`PosixDisk`), plain memory (`MemoryDisk`), and simulations that
/// fail and crash on purpose.
///
/// This module is responsible for:
/// - whole writes: a short write is continued, an interrupted call is repeated where that is safe;
/// - names that stay inside the store's directory, and regular files behind them;
/// - reporting each failure with the call, the path and the system's error number.
///
/// It is not responsible for:
/// - the order of syncs and renames: that is the log's affair;
/// - retrying a failed sync: nobody may do that.
///
/// All calls may be made from any thread, and all of them may block.
package protocol Disk: Sendable {
    /// Names this boot of the machine: what was written in the same boot was not reordered by
    /// a power cut. Empty if the system does not tell.
    var bootID: String { get }

    /// Makes `directory`, if it is not there yet. It survives a power cut once the root is synced.
    func makeDirectory(_ directory: Directory) throws(DiskError)

    /// Removes `directory`, which must be empty; it is no error if it is not there.
    func removeDirectory(_ directory: Directory) throws(DiskError)

    /// The names in `directory`, sorted; none, if the directory is not there.
    func list(_ directory: Directory) throws(DiskError) -> [String]

    /// What stands at `path`, or nil if nothing does.
    func status(of path: DiskPath) throws(DiskError) -> FileStatus?

    /// Opens the regular file at `path`.
    func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile

    /// Gives the file at `source` the name `target`, replacing what is there, atomically.
    func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError)

    /// Removes the file at `path`; it is no error if there is none.
    func remove(_ path: DiskPath) throws(DiskError)

    /// Makes the names in `directory` survive a power cut.
    func syncDirectory(_ directory: Directory) throws(DiskError)

    /// Takes the exclusive lock of the store, or throws an error that names the holder.
    func lock() throws(DiskError) -> any DiskLock

    /// Where programs that do their own input and output find the store's directory, or nil if
    /// the files of this disk are not the operating system's.
    var systemPath: String? { get }

    /// Where SQLite finds the store's directory, or nil if it cannot reach it: a store on such a disk
    /// has no checkpoint.
    var databaseDirectory: DatabaseDirectory? { get }
}

/// An open file. Positions are bytes from its start.
package protocol DiskFile: Sendable {
    /// Fills `buffer` from `position` on; fewer bytes than asked for mean the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(DiskError) -> Int

    /// Writes all of `bytes` at `position`, or throws with some of them written.
    func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError)

    /// The size and identity of the file as it is now, under whatever name.
    func status() throws(DiskError) -> FileStatus

    /// Makes the file `size` bytes long, with room on the medium for all of them; the new part
    /// reads as zeros. Never shortens it.
    func preallocate(to size: Int) throws(DiskError)

    /// Cuts or extends the file to `size` bytes.
    func truncate(to size: Int) throws(DiskError)

    /// Makes what was written before the call survive a power cut. A failure is final: what the
    /// medium holds is unknown from then on, and a second sync proves nothing.
    func sync() throws(DiskError)

    /// Gives the file back. Never repeated, whatever it reports.
    func close() throws(DiskError)

    /// Tells the file that it has another name in its directory, for errors to name it by.
    func wasRenamed(to name: String)
}

extension Disk {
    /// Nil, for files that only this process has.
    package var databaseDirectory: DatabaseDirectory? { nil }
}

extension DiskFile {
    /// Nothing, for a file whose errors name none.
    package func wasRenamed(to name: String) {}
}

/// The exclusive right to write to a store, held until `release` or the end of the process.
package protocol DiskLock: Sendable {
    /// Throws in a copy of the process that took the lock, as `fork` makes one.
    func check() throws(DiskError)

    func release()
}

extension DiskLock {
    /// Nothing, for a lock that no other process can share.
    package func check() throws(DiskError) {}
}

/// The directories of a store.
package enum Directory: String, Sendable, CaseIterable {
    case root = ""
    case events
    case quarantine
}

/// A file's place: a directory of the store and a plain name in it.
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
    /// Makes a new file, replacing any other of that name.
    case create
}

package struct FileStatus: Equatable, Sendable {
    package var sizeBytes: Int
    /// Tells two files apart that bore the same name at different times.
    package var identity: UInt64

    package init(sizeBytes: Int, identity: UInt64) {
        self.sizeBytes = sizeBytes
        self.identity = identity
    }
}
