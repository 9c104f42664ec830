import SkyrosDisk

/// Makes the file of a new active segment.
enum NewSegment {
    /// Makes the segment that `header` describes, with an opening block, durably.
    static func make(
        _ header: SegmentHeader, in directory: SegmentDirectory
    ) throws(LogError) -> OpenSegment {
        let name = SegmentName(header.firstSequence, .open)
        let boot = Array(directory.disk.bootID.utf8)
        var bytes = header.bytes
        boot.withUnsafeBytes { payload in
            let opening = Block(
                .opening, payload: payload, payloadHash: XXH64.hash(payload),
                sequence: header.firstSequence - 1, chainHash: header.chainHashBefore,
                durableByteCount: 0)
            opening.append(to: &bytes, payload: payload, salt: header.salt)
        }
        let file = try DurableFile.write(bytes, to: name, in: directory)
        var segment = try OpenSegment(name, file: file)
        try segment.scanFurther()
        return segment
    }
}
