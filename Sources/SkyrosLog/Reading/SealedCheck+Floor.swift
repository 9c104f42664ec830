import SkyrosDisk

// A round begins with the floor. The numbers below the floor's are those of batches that it has
// replaced: each of its frames gets a share of them, so that a number says where to continue.

extension SealedCheck {
    /// Reads the floor from its part for the batch `sequence` on; returns whether that is enough.
    mutating func read(
        _ floor: LogFloor, from sequence: UInt64, _ byteCountMax: Int, on disk: any Disk
    ) throws(LogError) -> Bool {
        let file: any DiskFile
        do throws(DiskError) {
            file = try disk.open(floor.path, .read)
        } catch {
            try add(structureOf: floor, LogError(opening: floor, error))
            return false
        }
        file.forgetCache()
        let found = try structure(of: floor, isRecorded: sequence <= 1, on: disk).read(from: file)
        var hasPart = false
        for part in found.parts where part.sequences.lowerBound >= sequence {
            if byteCount >= byteCountMax, hasPart {
                next = part.sequences.lowerBound
                return true
            }
            hasPart = true
            try add(part, of: found)
        }
        return false
    }

    /// Reads the frames of a part, and records the first damage among them.
    private mutating func add(
        _ part: LogFloor.Part, of floor: LogFloor
    ) throws(LogError) {
        var damage: LogError?
        for number in part.frames {
            byteCount += floor.frames.frames[number].compressedByteCount
            do throws(LogError) {
                _ = try floor.content(ofFrame: number)
            } catch {
                if !error.isOfMedium { throw error }
                damage = damage ?? floor.damage(by: error)
            }
        }
        pieces.append(Piece(isStructure: false, sequences: part.sequences, error: damage))
    }

    /// Reads the floor's header, index and seek table, and returns it; as it was when the log was
    /// opened, if they are damaged.
    private mutating func structure(
        of floor: LogFloor, isRecorded: Bool, on disk: any Disk
    ) throws(LogError) -> LogFloor {
        do throws(LogError) {
            let found = try LogFloor(floor.name, on: disk)
            guard found.header == floor.header, found.frameCount == floor.frameCount else {
                let why = "the file holds another floor than it did"
                throw LogError(.chainBroken, why, in: floor.path)
            }
            if isRecorded {
                _ = try found.index()
                try add(structureOf: floor, nil)
            }
            return found
        } catch {
            if isRecorded || !error.isOfMedium { try add(structureOf: floor, error) }
            return floor
        }
    }

    private mutating func add(
        structureOf floor: LogFloor, _ error: LogError?
    ) throws(LogError) {
        if let error, !error.isOfMedium { throw error }
        byteCount += floor.byteCount
        byteCount -= floor.frames.frames.reduce(0) { $0 + $1.compressedByteCount }
        pieces.append(
            Piece(
                isStructure: true, sequences: 1...floor.head.sequence,
                error: error.map { floor.damage(by: $0) }))
    }
}

extension LogFloor {
    /// Frames that a check reads together.
    fileprivate struct Part {
        let frames: Range<Int>
        /// Their share of the batches that the floor has replaced.
        let sequences: ClosedRange<UInt64>
    }

    /// All frames, in parts of one each; of several if there are fewer batches than frames.
    fileprivate var parts: [Part] {
        var parts: [Part] = []
        var start = 0
        for end in 1...frameCount {
            let first = share(ofFrame: start)
            let next = end < frameCount ? share(ofFrame: end) : firstSequence
            guard next > first else { continue }
            parts.append(Part(frames: start..<end, sequences: first...next - 1))
            start = end
        }
        return parts
    }

    /// The first batch of a frame's share.
    private func share(ofFrame number: Int) -> UInt64 {
        let product = head.sequence.multipliedFullWidth(by: UInt64(number))
        return 1 + UInt64(frameCount).dividingFullWidth(product).quotient
    }

    /// The damage as an error that says what is in the file.
    fileprivate func damage(by error: LogError) -> LogError {
        guard error.code != .io else { return error }
        return LogError(
            error.code, Self.damageText(error.message, before: firstSequence), in: path,
            at: error.offset, cause: error.cause)
    }
}

extension LogError {
    /// The error of opening a floor, which must exist.
    fileprivate init(opening floor: LogFloor, _ error: DiskError) {
        guard error.isNotFound else {
            self.init(error)
            return
        }
        self.init(.segmentMissing, "the file is missing", in: floor.path, cause: error)
    }
}
