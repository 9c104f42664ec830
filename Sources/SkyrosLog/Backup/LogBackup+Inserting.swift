import SkyrosDisk

// Sealed segments, which are copied as files.

extension LogBackup {
    /// Copies a sealed segment and puts it in the place of those that hold its batches.
    ///
    /// The file is verified under its temporary name. Its new name is the commit point. What it
    /// replaces is removed after that name is durable; a crash in between leaves files of the same
    /// batches, of which the sealed one counts (`SegmentResolution`). A log may not end in a sealed
    /// segment, so the next one, empty, is there before; it is named afterwards, since it would
    /// follow nothing before (`UnnamedSegment`).
    func insert(
        _ segment: SealedSegment, _ notify: (LogBackupProgress) -> Void
    ) throws(LogError) {
        try copy.closeLog()
        let temporary = SegmentName(segment.first, .temporary)
        var successor: SegmentName?
        do throws(LogError) {
            try copyFile(of: segment, to: temporary, notify)
            if !copy.hasSuccessor(of: segment) { successor = try makeSuccessor(of: segment) }
            if successor != nil { try onDisk(copy.directory.sync()) }
        } catch {
            // The first error counts.
            try? copy.disk.remove(temporary.path)
            throw error
        }
        try onDisk { () throws(DiskError) in
            try copy.disk.rename(temporary.path, to: segment.name.path)
            try copy.directory.sync()
            if let successor {
                let unnamed = SegmentName(successor.firstSequence, .temporary)
                try copy.disk.rename(unnamed.path, to: successor.path)
                try copy.directory.sync()
            }
            for name in copy.replace(by: segment, successor: successor) {
                try copy.disk.remove(name.path)
            }
        }
        inserted.insert(segment.name)
        report.copiedFiles += 1
        report.copiedBytes += segment.byteCount
        progress.sequence = copy.head.sequence
        notify(progress)
    }

    /// Copies the file, syncs it, and reads it again.
    private func copyFile(
        of segment: SealedSegment, to temporary: SegmentName,
        _ notify: (LogBackupProgress) -> Void
    ) throws(LogError) {
        let file = try segment.openFile()
        if let clone = try onDisk(copy.disk.clone(file, to: temporary.path)) {
            progress.copiedBytes += segment.byteCount
            report.sharedFiles += 1
            report.sharedBytes += segment.byteCount
            try onDisk { () throws(DiskError) in
                try clone.sync()
                try clone.close()
            }
        } else {
            try copyBytes(of: file, count: segment.byteCount, to: temporary, notify)
        }
        do throws(LogError) {
            let written = try SealedSegment(temporary, on: copy.disk)
            guard written.isCopy(of: segment) else {
                throw LogError(.corrupt, "the file is not what was copied", temporary)
            }
            try written.verify(copy.format)
        } catch {
            guard error.isDamage else { throw error }
            // If the source is damaged, that is the error to report.
            try segment.verify(original.catalog.format)
            let why =
                "the copy of the segment cannot be read back as it was written (\(error.message)); "
                + "the medium of the copy may be failing"
            throw LogError(.io, why, segment.name, sequences: segment.range)
        }
    }

    private static let pieceBytes = 1 << 20

    private func copyBytes(
        of file: any DiskFile, count: Int, to temporary: SegmentName,
        _ notify: (LogBackupProgress) -> Void
    ) throws(LogError) {
        let target = try onDisk(copy.disk.open(temporary.path, .create))
        var offset = 0
        while offset < count {
            let bytes = try file.bytes(from: offset, count: min(Self.pieceBytes, count - offset))
            guard !bytes.isEmpty else { break }
            try onDisk { () throws(DiskError) in
                try bytes.withBytes { bytes throws(DiskError) in
                    try target.write(bytes, at: offset)
                }
            }
            offset += bytes.count
            progress.copiedBytes += bytes.count
            notify(progress)
        }
        try onDisk { () throws(DiskError) in
            try target.sync()
            try target.close()
        }
    }

    /// Writes the empty segment that continues `segment`, under its temporary name; returns the
    /// name that it will have.
    private func makeSuccessor(of segment: SealedSegment) throws(LogError) -> SegmentName {
        let first = segment.lastSequence + 1
        guard var header = original.catalog.header(beginning: first) else {
            let why = "the segment after event \(segment.lastSequence) is missing"
            throw LogError(.segmentMissing, why, SegmentName(first, .open))
        }
        header.salt = entropy.next()
        header.unsyncedBytesMax = copy.unsyncedBytesMax
        let temporary = SegmentName(first, .temporary)
        try onDisk { () throws(DiskError) in
            let content = header.bytesOfClosedSegment(on: copy.disk)
            try copy.disk.createFile(temporary.path, content).close()
        }
        return SegmentName(first, .open)
    }
}

extension SealedSegment {
    /// Whether header, index and size are those of `other`.
    fileprivate func isCopy(of other: SealedSegment) -> Bool {
        header == other.header && index == other.index && byteCount == other.byteCount
    }
}

extension SegmentHeader {
    /// An empty segment, as a log leaves it that was closed in order.
    fileprivate func bytesOfClosedSegment(on disk: any Disk) -> [UInt8] {
        var bytes = bytes(openedBy: OpeningPayload(ofFileOn: disk))
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        let closing = Block(
            .closing, payload: empty, payloadHash: XXH64.hash(empty), sequence: firstSequence - 1,
            chainHash: chainHashBefore, durableByteCount: bytes.count)
        closing.append(to: &bytes, payload: empty, salt: salt)
        return bytes
    }
}
