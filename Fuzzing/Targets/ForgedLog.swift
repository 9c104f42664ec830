@testable import Skyros
@testable import SkyrosLog

/// A log split into parts. Any part can be replaced; joining them computes valid checksums, so that
/// the result looks as if a writer had written it.
struct ForgedLog {
    /// A block of an open segment, a batch of a sealed one, or a frame of a floor, whose last part
    /// is its index.
    struct Part {
        var kind: UInt8
        var payload: [UInt8]
        /// The sequence in the header; nil for the right one.
        var sequence: UInt64?
        var durableByteCount: UInt64 = 0
        /// Whether it starts a frame of a sealed segment.
        var beginsFrame = false
    }

    struct Segment {
        var name: SegmentName
        var header: SegmentHeader
        var parts: [Part]
        /// Counts in the index; nil for the right ones.
        var batchCount: UInt64?
        var contentByteCount: UInt32?
        var compressedByteCount: UInt32?
    }

    var segments: [Segment]
    /// Whether each segment's header is set to continue the segment before it.
    var isContinuous = true

    // MARK: Splitting

    init(_ image: LogImage) throws {
        var first = 0
        segments = try image.names.map { name in
            let bytes = image.files[name] ?? []
            if name.kind == .floor { return try Self.floor(name, in: image) }
            guard name.kind == .open else {
                let header = try SegmentHeader(
                    [UInt8](bytes.dropFirst(SkippableFrame.headerByteCount)), in: name)
                let next = image.names.first { $0.firstSequence > name.firstSequence }
                let count = Int((next?.firstSequence ?? 0) - name.firstSequence)
                defer { first += count }
                let parts = image.events[first..<first + count].map {
                    Part(kind: 1, payload: $0, beginsFrame: true)
                }
                return Segment(name: name, header: header, parts: parts)
            }
            let header = try SegmentHeader(bytes, in: name)
            let parts = Self.blocks(of: bytes, header.salt)
            first += parts.count { $0.kind == 1 }
            return Segment(name: name, header: header, parts: parts)
        }
    }

    private static func floor(_ name: SegmentName, in image: LogImage) throws -> Segment {
        let floor = try LogFloor(name, on: try image.disk())
        var parts = try (0..<floor.frameCount).map {
            Part(kind: 1, payload: try floor.content(ofFrame: $0))
        }
        parts.append(
            Part(kind: 1, payload: [UInt8](HashedBytes.content(of: try floor.index()) ?? [])))
        return Segment(name: name, header: floor.header, parts: parts)
    }

    private static func blocks(of bytes: [UInt8], _ salt: UInt64) -> [Part] {
        bytes.withUnsafeBytes { all in
            var parts: [Part] = []
            var offset = SegmentHeader.fixedByteCount
            while let block = Block(headerIn: all, at: offset, salt: salt) {
                let payload = all.slice(offset + Block.headerByteCount, block.payloadByteCount)
                parts.append(
                    Part(
                        kind: block.kind.rawValue, payload: [UInt8](payload),
                        durableByteCount: UInt64(block.durableByteCount)))
                offset += block.byteCount
            }
            return parts
        }
    }

    // MARK: Joining

    func image() throws -> LogImage {
        var files: [SegmentName: [UInt8]] = [:]
        guard let first = segments.first else { return LogImage(files: files) }
        var head = LogHead(
            sequence: first.header.firstSequence &- 1, chainHash: first.header.chainHashBefore)
        for segment in segments {
            var header = segment.header
            var name = segment.name
            if isContinuous {
                header.firstSequence = head.sequence &+ 1
                header.chainHashBefore = head.chainHash
                name = SegmentName(header.firstSequence, name.kind)
            }
            head = LogHead(sequence: header.firstSequence &- 1, chainHash: header.chainHashBefore)
            files[name] =
                switch name.kind {
                case .open: Self.open(segment, header, &head)
                case .floor: try Self.floor(segment, header)
                default: try Self.sealed(segment, header, &head)
                }
        }
        return LogImage(files: files)
    }

    private static func floor(_ segment: Segment, _ header: SegmentHeader) throws -> [UInt8] {
        var frames = try FrameFileWriter(header: header.bytes, path: segment.name.path)
        for part in segment.parts.dropLast() where !part.payload.isEmpty {
            try frames.append(part.payload)
        }
        let index = segment.parts.last?.payload ?? []
        frames.finish(index: HashedBytes.appendingHash(to: index))
        return frames.take()
    }

    private static func open(
        _ segment: Segment, _ header: SegmentHeader, _ head: inout LogHead
    ) -> [UInt8] {
        var bytes = header.bytes
        for part in segment.parts {
            part.payload.withUnsafeBytes { payload in
                let hash = XXH64.hash(payload)
                if part.kind == 1 {
                    head = LogHead(
                        sequence: head.sequence &+ 1, chainHash: head.chainHash.advanced(by: hash))
                }
                let block = Block(
                    Block.Kind(rawValue: part.kind), payload: payload, payloadHash: hash,
                    sequence: part.sequence ?? head.sequence, chainHash: head.chainHash,
                    durableByteCount: Int(truncatingIfNeeded: part.durableByteCount & (1 << 62 - 1))
                )
                block.append(to: &bytes, payload: payload, salt: header.salt)
            }
        }
        return bytes
    }

    private static func sealed(
        _ segment: Segment, _ header: SegmentHeader, _ head: inout LogHead
    ) throws -> [UInt8] {
        guard let compressor = Zstd.Compressor() else { throw FuzzFinding("no compressor") }
        var bytes = SkippableFrame.bytes(magic: FrameFile.headerMagic, content: header.bytes)
        var table = SeekTable()
        table.append(frame: bytes, content: [])
        var index = SegmentIndex(chainHashAfter: head.chainHash, timeAfter: header.timeBefore)
        var frame: [UInt8] = []
        func closeFrame() throws {
            guard !frame.isEmpty else { return }
            let compressed = try compressor.frame(frame)
            table.append(frame: compressed, content: frame)
            bytes += compressed
            frame = []
        }
        for part in segment.parts where !part.payload.isEmpty {
            if part.beginsFrame { try closeFrame() }
            if frame.isEmpty {
                index.frames.append(
                    SegmentIndex.Frame(
                        firstSequence: part.sequence ?? head.sequence &+ 1,
                        chainHashBefore: head.chainHash))
            }
            frame += part.payload
            head = LogHead(
                sequence: head.sequence &+ 1,
                chainHash: head.chainHash.advanced(by: XXH64.hash(part.payload)))
            index.batchCount += 1
        }
        try closeFrame()
        index.batchCount = segment.batchCount ?? index.batchCount
        index.chainHashAfter = head.chainHash
        let last = SkippableFrame.bytes(magic: FrameFile.indexMagic, content: index.bytes)
        table.append(frame: last, content: [])
        let middle = table.entries.count / 2
        if let count = segment.contentByteCount { table.entries[middle].contentByteCount = count }
        if let count = segment.compressedByteCount {
            table.entries[middle].compressedByteCount = count
        }
        return bytes + last + table.bytes
    }
}
