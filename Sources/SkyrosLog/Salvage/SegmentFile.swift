import SkyrosDisk

/// The start of a segment's file, which shows its kind and header even if its name or header is
/// damaged.
struct SegmentFile: Sendable {
    let name: SegmentName
    let isSealed: Bool
    /// The open file, which can be read after it was removed. Of sealed segments there are too many
    /// to keep them open.
    private let file: (any DiskFile)?
    /// The header, if it is valid, or becomes valid by changing one bit.
    let header: SegmentHeader?
    /// The header's fields as they are in the file; nil if the file is too short.
    let uncheckedHeader: SegmentHeader?
    /// What is wrong with the header.
    private let problem: LogError?

    /// The offset of the header: in a sealed segment it is in a frame.
    let headerOffset: Int

    var firstSequence: UInt64 { header?.firstSequence ?? name.firstSequence }

    /// Reads the start of the file.
    ///
    /// - Throws: `LogError` if the file cannot be opened, or a newer version wrote it.
    init(_ name: SegmentName, on disk: any Disk) throws(LogError) {
        self.name = name
        let file = try onDisk(disk.open(name.path, .read))
        self.file = name.kind == .open ? file : nil
        let count = SkippableFrame.headerByteCount + SegmentHeader.byteCountMax
        let bytes = try file.readableBytes(from: 0, count: count)
        let isSealed = bytes.withBytes { Self.isSealed($0, name) }
        self.isSealed = isSealed
        headerOffset = isSealed ? SkippableFrame.headerByteCount : 0
        let headerBytes = [UInt8](bytes.dropFirst(headerOffset))
        uncheckedHeader = headerBytes.withBytes { SegmentHeader(unchecked: $0) }
        do throws(LogError) {
            header = try headerBytes.withBytes { bytes throws(LogError) in
                try SegmentHeader(misnamed: bytes, in: name)
            }
            problem = nil
        } catch {
            guard error.isDamage else { throw error.moved(by: headerOffset) }
            header = Self.repaired(headerBytes, name)
            problem = error
        }
    }

    /// A header with one wrong bit. Its 64-bit checksums show which bit it is.
    private static func repaired(_ bytes: [UInt8], _ name: SegmentName) -> SegmentHeader? {
        let stated = bytes.withBytes { SegmentHeader.statedByteCount($0) }
        guard bytes.count >= SegmentHeader.fixedByteCount else { return nil }
        for bit in 0..<(stated ?? SegmentHeader.fixedByteCount) * 8 where bit / 8 < bytes.count {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            let header = other.withUnsafeBytes { try? SegmentHeader(misnamed: $0, in: name) }
            if let header { return header }
        }
        return nil
    }

    private static func isSealed(_ bytes: UnsafeRawBufferPointer, _ name: SegmentName) -> Bool {
        if bytes.starts(with: SegmentHeader.magic) { return false }
        if bytes.count >= 4, bytes.integer(at: 0) == FrameFile.headerMagic { return true }
        return name.kind == .sealed
    }

    /// Why header, name and content do not fit together; nil if they do.
    var mismatch: (why: String, offset: Int)? {
        if let problem {
            let hasHeader = uncheckedHeader != nil
            return (problem.message, hasHeader ? headerOffset + (problem.offset ?? 0) : 0)
        }
        if isSealed != (name.kind == .sealed) {
            return ("the file is of another kind than its name says", 0)
        }
        if firstSequence != name.firstSequence {
            return (
                "the segment's name and its header disagree about the first sequence",
                headerOffset + SegmentHeader.Offset.firstSequence
            )
        }
        return nil
    }

    /// The whole file, with zeros for bytes that the medium does not return.
    func readableBytes(on disk: any Disk) throws(LogError) -> [UInt8] {
        let file =
            if let file { file } else { try onDisk(disk.open(name.path, .read)) }
        return try file.readableBytes(from: 0, count: onDisk(file.status()).sizeBytes)
    }
}

extension DiskFile {
    /// As `bytes(from:count:)`, with zeros for bytes that the medium does not return.
    fileprivate func readableBytes(from position: Int, count: Int) throws(LogError) -> [UInt8] {
        do throws(LogError) {
            return try bytes(from: position, count: count)
        } catch {
            guard error.isDamage else { throw error }
        }
        let end = try max(position, min(onDisk(status()).sizeBytes, position + count))
        var result: [UInt8] = []
        while position + result.count < end {
            let start = position + result.count
            let step = min(4_096, end - start)
            do throws(LogError) {
                let piece = try bytes(from: start, count: step)
                result += piece.isEmpty ? [UInt8](repeating: 0, count: step) : piece
            } catch {
                guard error.isDamage else { throw error }
                result += [UInt8](repeating: 0, count: step)
            }
        }
        return result
    }
}
