/// A disk in plain memory, for stores that leave no trace. It never fails.
package final class MemoryDisk: Disk {
    private let files = Locked<[DiskPath: MemoryFile]>([:])

    package init() {}

    package var bootID: String { "memory" }
    package var systemPath: String? { nil }

    package func makeFolder(_ folder: Folder) {}

    package func list(_ folder: Folder) -> [String] {
        files.withLock { $0.keys.filter { $0.folder == folder }.map(\.name).sorted() }
    }

    package func status(of path: DiskPath) -> FileStatus? {
        files.withLock { $0[path] }?.status()
    }

    package func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        let file = files.withLock { files in
            if mode == .create { files[path] = MemoryFile() }
            return files[path]
        }
        guard let file else { throw DiskError(.open, path, .system(System.notFound)) }
        return file
    }

    package func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        let found = files.withLock { files in
            guard let file = files.removeValue(forKey: source) else { return false }
            files[target] = file
            return true
        }
        if !found { throw DiskError(.rename, source, .system(System.notFound)) }
    }

    package func remove(_ path: DiskPath) {
        files.withLock { $0[path] = nil }
    }

    package func syncFolder(_ folder: Folder) {}

    package func lock() -> any DiskLock {
        MemoryLock()
    }
}

private final class MemoryFile: DiskFile {
    private let contents = Locked<[UInt8]>([])

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) -> Int {
        contents.withLock { contents in
            guard position < contents.count else { return 0 }
            let part = contents[position..<min(position + buffer.count, contents.count)]
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at position: Int) {
        contents.withLock { contents in
            if position + bytes.count > contents.count {
                let missing = position + bytes.count - contents.count
                contents.append(contentsOf: repeatElement(0, count: missing))
            }
            contents.withUnsafeMutableBytes { target in
                UnsafeMutableRawBufferPointer(rebasing: target[position...]).copyMemory(from: bytes)
            }
        }
    }

    func status() -> FileStatus {
        let size = contents.withLock { $0.count }
        return FileStatus(
            sizeBytes: size, identity: UInt64(UInt(bitPattern: ObjectIdentifier(self))))
    }

    /// Room in memory needs no reservation, and reading beyond the end gives the same nothing.
    func preallocate(to size: Int) {}

    func truncate(to size: Int) {
        contents.withLock { contents in
            if size < contents.count {
                contents.removeLast(contents.count - size)
            } else {
                contents.append(contentsOf: repeatElement(0, count: size - contents.count))
            }
        }
    }

    func sync() {}
    func close() {}
}

private struct MemoryLock: DiskLock {
    func release() {}
}
