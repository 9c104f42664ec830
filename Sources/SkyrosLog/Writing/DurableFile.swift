import SkyrosDisk

/// Files that appear complete and durable, or not at all.
enum DurableFile {
    /// Creates a file under a temporary name, syncs it, renames it to `name`, and syncs the
    /// directory. Returns the open file. Before the renaming, `check` may refuse the file.
    ///
    /// A crash leaves the old file of that name, if there was one, and perhaps the temporary file,
    /// which the next opening removes. After an error, the temporary file is removed immediately:
    /// the disk may be full.
    static func write(
        _ content: [UInt8], to name: SegmentName, in directory: SegmentDirectory,
        check: (_ temporary: SegmentName) throws(LogError) -> Void = { _ in }
    ) throws(LogError) -> any DiskFile {
        let disk = directory.disk
        let temporary = SegmentName(name.firstSequence, .temporary)
        do throws(LogError) {
            let file = try onDisk(disk.createFile(temporary.path, content))
            try check(temporary)
            try onDisk { () throws(DiskError) in
                try disk.rename(temporary.path, to: name.path)
                file.wasRenamed(to: name.path.name)
                try directory.sync()
            }
            return file
        } catch {
            // The first error counts.
            try? disk.remove(temporary.path)
            throw error
        }
    }

    /// Copies bytes to a new file in the store's quarantine; returns its path.
    static func quarantine(
        _ content: [UInt8], as name: String, on disk: any Disk
    ) throws(LogError) -> String {
        try onDisk { () throws(DiskError) in
            let path = try disk.freePathInQuarantine(for: name)
            try disk.createFile(path, content).close()
            try disk.syncDirectory(.quarantine)
            return path.description
        }
    }

    /// Moves a segment's file to the store's quarantine; returns its new path.
    static func quarantine(
        _ segment: SegmentName, on disk: any Disk
    ) throws(LogError) -> String {
        try onDisk { () throws(DiskError) in try disk.setAside(segment.path).description }
    }
}
