import SkyrosDisk

/// A segment's file at first sight: what it is by its content, whatever its name and its header
/// say.
struct SegmentFile: Sendable {
    let name: SegmentName
    let isSealed: Bool
    /// The header, if it passes its check, or would but for one bit.
    let header: SegmentHeader?
    /// The header's fields as they stand there, if there is room for a header.
    let uncheckedHeader: SegmentHeader?
    /// What is wrong with the header or the name.
    let problem: LogError?

    /// Where the header stands: a sealed segment has it in a frame.
    var headerOffset: Int { isSealed ? SkippableFrame.headerByteCount : 0 }

    var firstSequence: UInt64 { header?.firstSequence ?? name.firstSequence }

    /// Reads the beginning of the file.
    ///
    /// - Throws: `LogError` if the file cannot be opened, or a newer version wrote it.
    init(_ name: SegmentName, on disk: any Disk) throws(LogError) {
        self.name = name
        let file = try onDisk { () throws(DiskError) in try disk.open(name.path, .read) }
        let count = SkippableFrame.headerByteCount + SegmentHeader.byteCount
        let bytes = try file.readableBytes(from: 0, count: count)
        let isSealed = bytes.withUnsafeBytes { Self.isSealed($0, name) }
        self.isSealed = isSealed
        let headerBytes = [UInt8](bytes.dropFirst(isSealed ? count - SegmentHeader.byteCount : 0))
        uncheckedHeader = headerBytes.withUnsafeBytes { SegmentHeader(unchecked: $0) }
        do throws(LogError) {
            header = try headerBytes.withBytes { bytes throws(LogError) in
                try SegmentHeader(misnamed: bytes, in: name)
            }
            problem = nil
        } catch {
            guard error.isDamage else { throw error }
            header = Self.mended(headerBytes, name)
            problem = error
        }
    }

    /// A header with one wrong bit: the check of 64 bits tells which of 768 it is.
    private static func mended(_ bytes: [UInt8], _ name: SegmentName) -> SegmentHeader? {
        guard bytes.count >= SegmentHeader.byteCount else { return nil }
        for bit in 0..<SegmentHeader.byteCount * 8 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            let header = other.withUnsafeBytes { try? SegmentHeader(misnamed: $0, in: name) }
            if let header { return header }
        }
        return nil
    }

    private static func isSealed(_ bytes: UnsafeRawBufferPointer, _ name: SegmentName) -> Bool {
        if bytes.starts(with: SegmentHeader.magic) { return false }
        if bytes.count >= 4, bytes.integer(at: 0) == SealedSegment.headerMagic { return true }
        return name.kind == .sealed
    }

    /// What is wrong with the file as a whole: its header, or a name that is not its own.
    var misfit: (why: String, offset: Int)? {
        if let problem {
            let isThere = uncheckedHeader != nil
            return (problem.message, isThere ? headerOffset + (problem.offset ?? 0) : 0)
        }
        if isSealed != (name.kind == .sealed) {
            return ("the file is not of the kind that its name says", 0)
        }
        if firstSequence != name.firstSequence {
            return (
                "the segment's name and its header disagree about the first sequence",
                headerOffset + 32
            )
        }
        return nil
    }
}

extension DiskFile {
    /// As `bytes(from:count:)`; zeros where the medium does not give its bytes any more.
    func readableBytes(from position: Int, count: Int) throws(LogError) -> [UInt8] {
        do throws(LogError) {
            return try bytes(from: position, count: count)
        } catch {
            guard error.isDamage else { throw error }
        }
        let size = try onDisk { () throws(DiskError) in try status().sizeBytes }
        let end = max(position, min(size, position + count))
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
