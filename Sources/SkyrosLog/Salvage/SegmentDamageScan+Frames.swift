import SkyrosDisk

extension SegmentDamageScan {
    private static let frameMagic: UInt32 = 0xFD2F_B528

    mutating func readFrames(_ context: Context) throws(LogError) {
        guard file.mismatch == nil else { return try readWithoutTable(context) }
        let segment: SealedSegment
        do throws(LogError) {
            segment = try SealedSegment(file.name, on: context.disk)
        } catch {
            guard error.isDamage else { throw error }
            try readWithoutTable(context)
            return addFileDamage(error.code, error.message, at: error.offset)
        }
        lastKnown = segment.lastSequence
        statedEnd = segment.chainHashAfter
        statedTimes = segment.statedTimes
        for number in segment.frames.indices {
            var extent = segment.extent(ofFrame: number)
            if let error = try damage(of: &extent, context) {
                addDamage(error, of: extent, frame: number)
                // Perhaps only its size in the seek table is wrong.
                extent.contentByteCount = nil
                if try damage(of: &extent, context) != nil { continue }
            }
            extents.append(extent)
        }
    }

    /// Why the extent cannot be read; nil if it can, and then sets its size.
    private func damage(
        of extent: inout BatchExtent, _ context: Context
    ) throws(LogError) -> LogError? {
        do throws(LogError) {
            extent.contentByteCount = try extent.chunk(on: context.disk, context.format).bytes.count
            return nil
        } catch {
            guard error.isDamage else { throw error }
            return error
        }
    }

    private mutating func addDamage(_ error: LogError, of extent: BatchExtent, frame number: Int) {
        damages.append(
            LogDamage(
                error.code, error.message, file.name, at: extent.offset, frame: number + 1,
                sequences: extent.sequences))
    }
}

// MARK: - Without the seek table

extension SegmentDamageScan {
    /// Finds the frames from the start of the file, as any zstd reader does.
    ///
    /// The batches count only if a chain hash proves them: that of the index for each frame, or
    /// that of the successor's header for all of them.
    private mutating func readWithoutTable(_ context: Context) throws(LogError) {
        let bytes = try file.readableBytes(on: context.disk)
        let headerByteCount =
            (file.header ?? file.uncheckedHeader)?.byteCount ?? SegmentHeader.fixedByteCount
        let (frames, index) = bytes.withBytes { all in
            Self.framesAndIndex(
                in: all, after: SkippableFrame.headerByteCount + headerByteCount)
        }
        if let index, index.frames.count == frames.count, let last = index.lastSequence {
            lastKnown = last
            for (number, range) in frames.enumerated() {
                var extent = index.extent(
                    ofFrame: number, in: file.name, at: range.lowerBound, byteCount: range.count,
                    contentByteCount: nil)
                if let error = try damage(of: &extent, context) {
                    addDamage(error, of: extent, frame: number)
                } else {
                    extents.append(extent)
                }
            }
        } else if let header = file.header {
            extents = proved(frames, of: bytes, from: header, context)
            lastKnown = extents.last?.sequences.upperBound
        }
    }

    private static func framesAndIndex(
        in all: UnsafeRawBufferPointer, after headerFrameByteCount: Int
    ) -> (frames: [Range<Int>], index: SegmentIndex?) {
        var frames: [Range<Int>] = []
        var offset = headerFrameByteCount
        while offset + 4 <= all.count {
            let rest = all.slice(offset, all.count - offset)
            let magic: UInt32 = rest.integer(at: 0)
            if magic == frameMagic, let count = Zstd.frameByteCount(in: rest) {
                frames.append(offset..<offset + count)
                offset += count
                continue
            }
            guard SkippableFrame.ownMagics.contains(magic),
                let count = SkippableFrame.byteCount(in: rest)
            else { break }
            if magic == FrameFile.indexMagic {
                let content = SkippableFrame.content(of: rest.slice(0, count), magic: magic)
                return (frames, content.flatMap { SegmentIndex($0) })
            }
            offset += count
        }
        return (frames, nil)
    }

    /// The frames' batches, if the chain hash through the last one is that before the successor.
    private func proved(
        _ frames: [Range<Int>], of bytes: [UInt8], from header: SegmentHeader,
        _ context: Context
    ) -> [BatchExtent] {
        var found: [BatchExtent] = []
        var chainHash = header.chainHashBefore
        var next = header.firstSequence
        for range in frames {
            let content = bytes.withUnsafeBytes { all in
                try? Zstd.content(
                    of: all.slice(range.lowerBound, range.count),
                    byteCountMax: context.format.contentBytesMax)
            }
            guard let content, let batches = content.withBytes({ context.format.ranges(in: $0) }),
                !batches.isEmpty, next <= .max - UInt64(batches.count)
            else { return [] }
            let before = chainHash
            for batch in batches {
                chainHash = chainHash.advanced(by: XXH64.hash(Array(content[batch])))
            }
            found.append(
                BatchExtent(
                    segment: file.name, form: .frame, offset: range.lowerBound,
                    byteCount: range.count, contentByteCount: content.count,
                    sequences: next...next + UInt64(batches.count) - 1,
                    chainHashBefore: before, chainHashAfter: chainHash))
            next += UInt64(batches.count)
        }
        return context.chainHashesBefore[next]?.contains(chainHash) ?? false ? found : []
    }
}
