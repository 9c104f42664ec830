import SkyrosDisk

/// Turns an ended segment into a sealed one.
///
/// The sealed file is durable before the open file is removed, so a crash leaves at least one of
/// them complete. The removal needs no sync: if a power cut undoes it, opening compares the two
/// files and removes one.
struct SegmentSealer {
    let directory: SegmentDirectory
    let options: LogOptions

    /// Seals `segment`, whose last batch has the time `timeAfter`, and removes its open file.
    func seal(_ segment: OpenSegment, timeAfter: Int64) throws(LogError) -> SealedSegment {
        let sealed = SegmentName(segment.name.firstSequence, .sealed)
        let content = try content(of: segment, timeAfter: timeAfter)
        _ = try DurableFile.write(content, to: sealed, in: directory)
        let result = try SealedSegment(sealed, on: directory.disk)
        try onDisk(directory.disk.remove(segment.name.path))
        return result
    }

    private func content(of segment: OpenSegment, timeAfter: Int64) throws(LogError) -> [UInt8] {
        var writer = try SealedSegmentWriter(segment.header, options.frameBytes)
        // The framing is for sealed segments, which this one is not.
        let format = FrameFormat(options, { _ in nil })
        var next = segment.header.firstSequence
        while next <= segment.scan.lastSequence {
            let chunk = try segment.chunk(containing: next, format)
            _ = try chunk.forEach(from: next) { sequence, batch throws(LogError) in
                try writer.append(batch, sequence: sequence)
                return true
            }
            next = chunk.lastSequence + 1
        }
        return try writer.finish(timeAfter: timeAfter)
    }
}

/// Composes a sealed segment from its batches.
struct SealedSegmentWriter {
    private let frameBytes: Int
    private var file: FrameFileWriter
    private var index: SegmentIndex
    private var frame: [UInt8] = []
    private var chainHash: ChainHash

    init(_ header: SegmentHeader, _ frameBytes: Int) throws(LogError) {
        let name = SegmentName(header.firstSequence, .sealed)
        file = try FrameFileWriter(header: header.bytes, path: name.path)
        self.frameBytes = frameBytes
        chainHash = header.chainHashBefore
        index = SegmentIndex(chainHashAfter: chainHash, timeAfter: header.timeBefore)
    }

    mutating func append(_ batch: UnsafeRawBufferPointer, sequence: UInt64) throws(LogError) {
        if frame.isEmpty {
            index.frames.append(
                SegmentIndex.Frame(firstSequence: sequence, chainHashBefore: chainHash))
        }
        frame.append(contentsOf: batch)
        chainHash = chainHash.advanced(by: XXH64.hash(batch))
        index.batchCount += 1
        if frame.count >= frameBytes { try endFrame() }
    }

    /// Ends the last frame and appends the index and the seek table.
    mutating func finish(timeAfter: Int64) throws(LogError) -> [UInt8] {
        try endFrame()
        index.chainHashAfter = chainHash
        index.timeAfter = timeAfter
        file.finish(index: index.bytes)
        return file.take()
    }

    private mutating func endFrame() throws(LogError) {
        guard !frame.isEmpty else { return }
        try file.append(frame)
        frame.removeAll(keepingCapacity: true)
    }
}
