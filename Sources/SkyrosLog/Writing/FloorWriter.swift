import SkyrosDisk

/// Writes a floor, frame by frame. It gets its name only once it was read back and found whole.
///
/// It is written and synced in pieces: a sync of all at the end would make those of the log wait.
package struct FloorWriter: ~Copyable {
    /// The bytes between two syncs.
    private static let pieceBytes = 1 << 20

    private let name: SegmentName
    private let directory: SegmentDirectory
    private let file: any DiskFile
    private var frames: FrameFileWriter
    private var writtenBytes = 0

    /// Creates the file under a temporary name.
    init(_ header: SegmentHeader, in directory: SegmentDirectory) throws(LogError) {
        let name = SegmentName(header.firstSequence, .floor)
        let temporary = SegmentName(header.firstSequence, .temporary)
        let frames = try FrameFileWriter(header: header.bytes, path: name.path)
        let file = try onDisk(directory.disk.open(temporary.path, .create))
        (self.name, self.directory, self.frames, self.file) = (name, directory, frames, file)
    }

    private var temporary: SegmentName { SegmentName(name.firstSequence, .temporary) }

    /// Appends a frame with this content, which is not empty.
    package mutating func append(_ content: [UInt8]) throws(LogError) {
        try frames.append(content)
        if frames.bytes.count >= Self.pieceBytes { try write() }
    }

    private mutating func write() throws(LogError) {
        let bytes = frames.take()
        let offset = writtenBytes
        try onDisk { () throws(DiskError) in
            try bytes.withBytes { bytes throws(DiskError) in try file.write(bytes, at: offset) }
            try file.sync()
        }
        writtenBytes += bytes.count
    }

    /// Ends the file, reads all of it again, and gives it its name, durably.
    ///
    /// - Parameter check: may refuse what was read.
    consuming func finish(
        index: [UInt8], check: (LogFloor) throws(LogError) -> Void
    ) throws(LogError) -> LogFloor {
        frames.finish(index: index)
        try write()
        try onDisk(file.close())
        let disk = directory.disk
        let floor = try LogFloor(temporary, on: disk)
        try floor.verify()
        try check(floor)
        let (from, to) = (temporary.path, name.path)
        try onDisk { () throws(DiskError) in
            try disk.rename(from, to: to)
            try directory.sync()
        }
        floor.wasRenamed()
        return floor
    }
}

extension LogFloor {
    /// Writes the file to a directory, reads it again, and gives it its name, durably.
    func copied(to directory: SegmentDirectory) throws(LogError) -> LogFloor {
        _ = try DurableFile.write(try bytes(), to: name, in: directory) {
            temporary throws(LogError) in
            try LogFloor(temporary, on: directory.disk).verify()
        }
        return try LogFloor(name, on: directory.disk)
    }
}
