import SkyrosDisk

/// Replaces neighbouring sealed segments by one that holds their batches.
///
/// The merged file takes the name of the first source. It is read back, and its name is durable,
/// before any other source is removed; so a crash leaves the sources, or the merged file and any of
/// them. The removals need no sync: opening removes files whose batches another one holds.
struct SegmentMerger {
    let directory: SegmentDirectory
    let format: FrameFormat
    let frameBytes: Int

    /// Writes the merged file, which replaces the first of `sources`. Once it has, only a failed
    /// sync of the directory can make this throw.
    ///
    /// Uses memory for the compressed result and one frame.
    ///
    /// - Throws: `LogError` if a source is not what was written.
    func merge(_ sources: ArraySlice<SealedSegment>) throws(LogError) -> SealedSegment {
        guard let first = sources.first, let last = sources.last else {
            preconditionFailure("a merge has sources")
        }
        var writer = try SealedSegmentWriter(first.header, frameBytes)
        for source in sources {
            for frame in source.index.frames {
                let chunk = try source.chunk(containing: frame.firstSequence, format)
                _ = try chunk.forEach(from: frame.firstSequence) {
                    sequence, batch throws(LogError) in
                    try writer.append(batch, sequence: sequence)
                    return true
                }
            }
        }
        let content = try writer.finish(timeAfter: last.index.timeAfter)
        var merged = first
        _ = try DurableFile.write(content, to: first.name, in: directory) {
            temporary throws(LogError) in
            merged = try SealedSegment(temporary, on: directory.disk)
            guard merged.head == last.head else {
                let why = "the segments from \(first.name) to \(last.name) do not merge into one"
                throw LogError(.chainBroken, why, first.name)
            }
            try merged.verify(format)
        }
        merged.name = first.name
        return merged
    }

    /// Removes the sources that a merged segment holds, but for the first, which it has replaced.
    func remove(_ sources: ArraySlice<SealedSegment>) throws(LogError) {
        try onDisk { () throws(DiskError) in
            for source in sources.dropFirst() { try directory.disk.remove(source.name.path) }
        }
    }
}
