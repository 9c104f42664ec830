import SkyrosDisk

extension SegmentDamageScan {
    private static let frameMagic: UInt32 = 0xFD2F_B528

    mutating func readFrames(_ around: Context) throws(LogError) {
        guard file.misfit == nil else { return try readWithoutTable(around) }
        do throws(LogError) {
            let segment = try SealedSegment(file.name, on: around.disk)
            lastKnown = segment.lastSequence
            try readFrames(of: segment, around)
        } catch {
            guard error.isDamage else { throw error }
            try readWithoutTable(around)
            noteWholeFile(error.code, error.message, at: error.offset)
        }
    }

    private mutating func readFrames(
        of segment: SealedSegment, _ around: Context
    ) throws(LogError) {
        for (index, frame) in segment.frames.enumerated() {
            let following = index + 1 < segment.frames.count ? segment.frames[index + 1] : nil
            let last = following.map { $0.firstSequence - 1 } ?? segment.lastSequence
            var stretch = BatchExtent(
                segment: file.name, form: .frame, offset: frame.offset,
                byteCount: frame.compressedByteCount, contentByteCount: frame.contentByteCount,
                sequences: frame.firstSequence...last, chainHashBefore: frame.chainHashBefore,
                chainHashAfter: following?.chainHashBefore ?? segment.chainHashAfter)
            do throws(LogError) {
                _ = try segment.chunk(
                    containing: frame.firstSequence, framing: around.framing,
                    contentBytesMax: around.contentBytesMax)
            } catch {
                guard error.isDamage else { throw error }
                damages.append(
                    LogDamage(
                        error.code, error.message, file.name, at: frame.offset, frame: index + 1,
                        sequences: stretch.sequences))
                // Perhaps only its size in the seek table is wrong.
                guard let count = try contentByteCount(of: stretch, around) else { continue }
                stretch.contentByteCount = count
            }
            stretches.append(stretch)
        }
    }

    /// How much the stretch holds; nil if it is not whole.
    private func contentByteCount(
        of stretch: BatchExtent, _ around: Context
    ) throws(LogError) -> Int? {
        do throws(LogError) {
            return try stretch.chunk(
                on: around.disk, framing: around.framing, contentBytesMax: around.contentBytesMax
            ).bytes.count
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }
}

// MARK: - Without the seek table

extension SegmentDamageScan {
    /// Finds the frames one after the other, as any zstd reader does.
    ///
    /// Their batches count only where a chain hash proves them: that of the index for each
    /// frame, or else that of the successor for all of them.
    private mutating func readWithoutTable(_ around: Context) throws(LogError) {
        let opened = try onDisk { () throws(DiskError) in
            try around.disk.open(file.name.path, .read)
        }
        let size = try onDisk { () throws(DiskError) in try opened.status().sizeBytes }
        let bytes = try opened.readableBytes(from: 0, count: size)
        let (frames, end) = bytes.withUnsafeBytes { Self.frames(in: $0) }
        let index = bytes.withUnsafeBytes { Self.index(in: $0, at: end) }
        if let index, index.frames.count == frames.count, index.isInOrder {
            lastKnown = index.lastSequence
            for (number, place) in frames.enumerated() {
                var stretch = index.stretch(number, of: file.name, at: place)
                if let count = try contentByteCount(of: stretch, around) {
                    stretch.contentByteCount = count
                    stretches.append(stretch)
                } else {
                    damages.append(
                        LogDamage(
                            .corrupt, "a frame is damaged", file.name, at: stretch.offset,
                            frame: number + 1, sequences: stretch.sequences))
                }
            }
        } else if let header = file.header {
            stretches = proved(frames, of: bytes, from: header, around)
            lastKnown = stretches.last?.sequences.upperBound
        }
    }

    private static func frames(in all: UnsafeRawBufferPointer) -> ([Range<Int>], end: Int) {
        var frames: [Range<Int>] = []
        var offset = SkippableFrame.headerByteCount + SegmentHeader.byteCount
        while offset + 4 <= all.count, all.integer(at: offset) == frameMagic {
            let rest = all.slice(offset, all.count - offset)
            guard let count = Zstd.frameByteCount(in: rest) else { break }
            frames.append(offset..<offset + count)
            offset += count
        }
        return (frames, offset)
    }

    private static func index(in all: UnsafeRawBufferPointer, at offset: Int) -> SegmentIndex? {
        guard offset + SkippableFrame.headerByteCount <= all.count else { return nil }
        let count = Int(all.integer(at: offset + 4, as: UInt32.self))
        guard count <= all.count - offset - SkippableFrame.headerByteCount else { return nil }
        let frame = all.slice(offset, SkippableFrame.headerByteCount + count)
        return SkippableFrame.content(of: frame, magic: SegmentIndex.frameMagic).flatMap {
            SegmentIndex($0)
        }
    }

    /// The frames' batches, if the check through the last of them is the one with which the
    /// successor begins.
    private func proved(
        _ frames: [Range<Int>], of bytes: [UInt8], from header: SegmentHeader,
        _ around: Context
    ) -> [BatchExtent] {
        var found: [BatchExtent] = []
        var chainHash = header.chainHashBefore
        var next = header.firstSequence
        for place in frames {
            guard
                let content = try? bytes.withUnsafeBytes({ all in
                    try Zstd.content(
                        of: all.slice(place.lowerBound, place.count),
                        byteCountMax: around.contentBytesMax)
                }), let ranges = SealedSegment.ranges(in: content, around.framing),
                !ranges.isEmpty, next <= .max - UInt64(ranges.count)
            else { return [] }
            let before = chainHash
            for range in ranges {
                chainHash = chainHash.advanced(by: XXH64.hash(Array(content[range])))
            }
            found.append(
                BatchExtent(
                    segment: file.name, form: .frame, offset: place.lowerBound,
                    byteCount: place.count, contentByteCount: content.count,
                    sequences: next...next + UInt64(ranges.count) - 1,
                    chainHashBefore: before, chainHashAfter: chainHash))
            next += UInt64(ranges.count)
        }
        return around.chainHashesBefore[next] == chainHash ? found : []
    }
}

extension SegmentIndex {
    /// The last batch; nil if the numbers cannot be.
    fileprivate var lastSequence: UInt64? {
        guard let first = frames.first?.firstSequence, first > 0, batchCount > 0 else { return nil }
        let (last, overflow) = first.addingReportingOverflow(batchCount - 1)
        return overflow || last == .max ? nil : last
    }

    fileprivate var isInOrder: Bool {
        guard let lastSequence, let last = frames.last?.firstSequence else { return false }
        return last <= lastSequence
            && zip(frames, frames.dropFirst()).allSatisfy { $0.firstSequence < $1.firstSequence }
    }

    /// The batches of the frame with this number, which stands there.
    fileprivate func stretch(
        _ number: Int, of segment: SegmentName, at place: Range<Int>
    ) -> BatchExtent {
        let following = number + 1 < frames.count ? frames[number + 1] : nil
        let last = following.map { $0.firstSequence - 1 } ?? lastSequence ?? .max
        return BatchExtent(
            segment: segment, form: .frame, offset: place.lowerBound, byteCount: place.count,
            sequences: frames[number].firstSequence...last,
            chainHashBefore: frames[number].chainHashBefore,
            chainHashAfter: following?.chainHashBefore ?? chainHashAfter)
    }
}
