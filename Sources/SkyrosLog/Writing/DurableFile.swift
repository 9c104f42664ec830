import SkyrosDisk

/// The one place where a file comes into being: whole and synced, or not at all.
enum DurableFile {
    /// Writes `content` under a temporary name, syncs it, gives it its own name, and syncs the
    /// directory. Returns the open file.
    ///
    /// A crash on the way leaves the old file of that name, if there was one, and perhaps a
    /// temporary file, which means nothing and is removed by the next opening. An error removes
    /// it at once, so that it takes no room on a disk that may be full.
    static func write(
        _ content: [UInt8], to name: SegmentName, in directory: SegmentDirectory
    ) throws(LogError) -> any DiskFile {
        let disk = directory.disk
        let temporary = SegmentName(name.firstSequence, .temporary)
        do throws(DiskError) {
            let file = try disk.open(temporary.path, .create)
            try write(content, to: file)
            try file.sync()
            try disk.rename(temporary.path, to: name.path)
            file.wasRenamed(to: name.path.name)
            try directory.sync()
            return file
        } catch {
            // The first error is the one that counts.
            try? disk.remove(temporary.path)
            throw LogError(error)
        }
    }

    /// Sets bytes aside in the store's quarantine, durably, under a name that is still free.
    static func setAside(
        _ content: [UInt8], as name: String, on disk: any Disk
    ) throws(LogError) -> String {
        try onDisk { () throws(DiskError) in
            try disk.makeDirectoryDurably(.quarantine)
            let taken = Set(try disk.list(.quarantine))
            let free =
                (0...).lazy.map { $0 == 0 ? name : "\(name).\($0)" }
                .first { !taken.contains($0) } ?? name
            let path = DiskPath(.quarantine, free)
            let file = try disk.open(path, .create)
            try write(content, to: file)
            try file.sync()
            try file.close()
            try disk.syncDirectory(.quarantine)
            return path.description
        }
    }

    private static func write(_ content: [UInt8], to file: any DiskFile) throws(DiskError) {
        let failure = content.withUnsafeBytes { buffer in
            Result { () throws(DiskError) in try file.write(buffer, at: 0) }
        }
        try failure.get()
    }
}
