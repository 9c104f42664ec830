import SkyrosDisk

/// What reading a part of the floor and the sealed segments again has found.
package struct SealedCheck: Sendable {
    /// A piece of a file that was read.
    package struct Piece: Sendable {
        /// Whether it is the file's header, index and seek table, and not one of its frames.
        package let isStructure: Bool
        /// The batches in it; of a structure, those of the segment. A floor is divided among the
        /// batches that it has replaced.
        package let sequences: ClosedRange<UInt64>
        /// What is wrong with it; nil if it is as it was written.
        package let error: LogError?
    }

    package internal(set) var pieces: [Piece] = []
    /// The bytes that were read.
    package internal(set) var byteCount = 0
    /// The batch with which to continue; nil after the last sealed one.
    package internal(set) var next: UInt64?
}

extension LogCatalog {
    /// Reads the floor and sealed segments again, from the frame with the batch `sequence` on, and
    /// compares them with their checksums and the chain hash.
    ///
    /// It opens the files anew, so one that was restored meanwhile is read. A damage is recorded,
    /// and reading continues after it.
    ///
    /// - Parameter byteCountMax: ends after the frame that reaches it; at least one is read.
    /// - Throws: `LogError` if files cannot be read for now, as on a locked phone.
    func checkSealed(
        from sequence: UInt64, byteCountMax: Int, on disk: any Disk
    ) throws(LogError) -> SealedCheck {
        var check = SealedCheck()
        if let floor, sequence < floor.firstSequence {
            let isEnough = try check.read(floor, from: sequence, byteCountMax, on: disk)
            if isEnough { return check }
        }
        for segment in sealed where segment.lastSequence >= sequence {
            let isEnough = try check.read(segment, from: sequence, byteCountMax, format, on: disk)
            if isEnough { return check }
        }
        return check
    }
}

extension SealedCheck {
    /// Reads a segment; returns whether that is enough.
    fileprivate mutating func read(
        _ segment: SealedSegment, from sequence: UInt64, _ byteCountMax: Int,
        _ format: FrameFormat, on disk: any Disk
    ) throws(LogError) -> Bool {
        if byteCount >= byteCountMax, !pieces.isEmpty {
            next = max(sequence, segment.header.firstSequence)
            return true
        }
        let file: any DiskFile
        do throws(DiskError) {
            file = try disk.open(segment.name.path, .read)
        } catch {
            try add(structureOf: segment, LogError(opening: segment, error))
            return false
        }
        file.forgetCache()
        let isFromStart = sequence <= segment.header.firstSequence
        let found = try structure(of: segment, isRecorded: isFromStart, on: disk)
        // The structure and a frame are read together: the next part begins after both.
        var hasFrame = false
        for number in segment.index.frames.indices {
            let extent = found.extent(ofFrame: number)
            if extent.sequences.upperBound < sequence { continue }
            if byteCount >= byteCountMax, hasFrame {
                next = extent.sequences.lowerBound
                return true
            }
            hasFrame = true
            byteCount += extent.byteCount
            do throws(LogError) {
                _ = try extent.chunk(in: file, format)
                pieces.append(
                    Piece(isStructure: false, sequences: extent.sequences, error: nil))
            } catch {
                if !error.isOfMedium { throw error }
                pieces.append(
                    Piece(isStructure: false, sequences: extent.sequences, error: error))
            }
        }
        return false
    }

    /// Reads the segment's header, index and seek table, and returns it; as it was when the log was
    /// opened, if they are damaged.
    private mutating func structure(
        of segment: SealedSegment, isRecorded: Bool, on disk: any Disk
    ) throws(LogError) -> SealedSegment {
        do throws(LogError) {
            let found = try SealedSegment(segment.name, on: disk)
            guard found.isTwin(of: segment) else {
                throw LogError(
                    .chainBroken, "the file holds other events than it did", segment.name,
                    sequences: segment.header.firstSequence...segment.lastSequence)
            }
            if isRecorded { try add(structureOf: segment, nil) }
            return found
        } catch {
            if isRecorded || !error.isOfMedium { try add(structureOf: segment, error) }
            return segment
        }
    }

    private mutating func add(
        structureOf segment: SealedSegment, _ error: LogError?
    ) throws(LogError) {
        if let error, !error.isOfMedium { throw error }
        byteCount += segment.byteCount - segment.frames.reduce(0) { $0 + $1.compressedByteCount }
        pieces.append(
            Piece(
                isStructure: true,
                sequences: segment.header.firstSequence...segment.lastSequence, error: error))
    }
}

extension SealedSegment {
    /// Whether the other one holds the same batches in as many frames.
    fileprivate func isTwin(of other: SealedSegment) -> Bool {
        index.chainHashAfter == other.index.chainHashAfter
            && header.chainHashBefore == other.header.chainHashBefore
            && lastSequence == other.lastSequence && frames.count == other.frames.count
    }
}

extension LogError {
    /// The error of opening a sealed segment, which must exist.
    fileprivate init(opening segment: SealedSegment, _ error: DiskError) {
        guard error.isNotFound else {
            self.init(error)
            return
        }
        self.init(
            .segmentMissing, "the file of the sealed segment is missing", segment.name,
            sequences: segment.header.firstSequence...segment.lastSequence, cause: error)
    }

    /// Whether the medium does not return what was written: other errors, such as a file that must
    /// not be read now, say nothing about it.
    var isOfMedium: Bool {
        switch code {
        case .corrupt, .chainBroken, .limitExceeded, .segmentMissing, .foreignStore,
            .unsupportedFormat:
            true
        case .io: cause?.isInputOutput ?? false
        default: false
        }
    }
}
