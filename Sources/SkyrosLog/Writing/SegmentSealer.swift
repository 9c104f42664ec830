import SkyrosDisk

/// Turns an active segment that has ended into a sealed one.
///
/// The sealed file is written whole, synced and renamed, and the directory synced, before the
/// open file goes: a crash at any point leaves one of the two complete. That the open file is gone
/// need not be synced: if a power cut brings it back, opening compares the two and removes it.
struct SegmentSealer {
    let directory: SegmentDirectory
    let options: LogOptions

    /// Seals `segment`, whose last batch had the time `timeAfter`, and removes its file.
    func seal(_ segment: OpenSegment, timeAfter: Int64) throws(LogError) -> SealedSegment {
        let sealed = SegmentName(segment.name.firstSequence, .sealed)
        let content = try contents(of: segment, timeAfter: timeAfter)
        _ = try DurableFile.write(content, to: sealed, in: directory)
        let result = try SealedSegment(sealed, on: directory.disk)
        try onDisk { () throws(DiskError) in try directory.disk.remove(segment.name.path) }
        return result
    }

    private func contents(
        of segment: OpenSegment, timeAfter: Int64
    ) throws(LogError) -> [UInt8] {
        guard let compressor = Zstd.Compressor() else {
            throw LogError(.limitExceeded, "there is no memory for compression", segment.name)
        }
        var writer = SealedSegmentWriter(segment.header, compressor, options.frameBytes)
        let last = segment.scan.lastSequence
        var next = segment.header.firstSequence
        while next <= last {
            let chunk = try segment.chunk(containing: next)
            var failure: Zstd.Failure?
            _ = chunk.forEach(from: next) { sequence, batch in
                do throws(Zstd.Failure) {
                    try writer.append(batch, sequence: sequence)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure {
                throw LogError(.io, "sealing failed: \(failure)", segment.name)
            }
            next = chunk.lastSequence + 1
        }
        do throws(Zstd.Failure) {
            return try writer.finish(timeAfter: timeAfter)
        } catch {
            throw LogError(.io, "sealing failed: \(error)", segment.name)
        }
    }
}

/// Builds the bytes of a sealed segment from its batches.
struct SealedSegmentWriter {
    private let compressor: Zstd.Compressor
    private let frameBytes: Int
    private var bytes: [UInt8]
    private var table = SeekTable()
    private var index: SegmentIndex
    private var frame: [UInt8] = []
    private var chainHash: ChainHash

    init(_ header: SegmentHeader, _ compressor: Zstd.Compressor, _ frameBytes: Int) {
        self.compressor = compressor
        self.frameBytes = frameBytes
        bytes = SkippableFrame.bytes(magic: SealedSegment.headerMagic, content: header.bytes)
        table.append(frame: bytes, content: [])
        chainHash = header.chainHashBefore
        index = SegmentIndex(chainHashAfter: chainHash, timeAfter: header.timeBefore)
    }

    mutating func append(
        _ batch: UnsafeRawBufferPointer, sequence: UInt64
    ) throws(Zstd.Failure) {
        if frame.isEmpty {
            index.frames.append(
                SegmentIndex.Frame(firstSequence: sequence, chainHashBefore: chainHash))
        }
        frame.append(contentsOf: batch)
        chainHash = chainHash.advanced(by: XXH64.hash(batch))
        index.batchCount += 1
        if frame.count >= frameBytes { try closeFrame() }
    }

    /// Ends the last frame and appends index and seek table.
    mutating func finish(timeAfter: Int64) throws(Zstd.Failure) -> [UInt8] {
        try closeFrame()
        index.chainHashAfter = chainHash
        index.timeAfter = timeAfter
        let last = SkippableFrame.bytes(magic: SegmentIndex.frameMagic, content: index.bytes)
        table.append(frame: last, content: [])
        return bytes + last + table.bytes
    }

    private mutating func closeFrame() throws(Zstd.Failure) {
        guard !frame.isEmpty else { return }
        let compressed = try compressor.frame(frame)
        table.append(frame: compressed, content: frame)
        bytes += compressed
        frame.removeAll(keepingCapacity: true)
    }
}
