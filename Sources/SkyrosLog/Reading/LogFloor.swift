package import SkyrosDisk

/// The floor of a log: a file that takes the place of the batches before the first that is kept.
///
///     events/00000000000000048213.floor
///
/// It is a `FrameFile` with the header of a segment, which says where the log begins now: at which
/// batch, and after which chain hash and time. The frames hold what the batches before have led to;
/// only the caller reads them. A log without its floor has lost its past, so it is a part of the
/// log, and no cache.
///
/// The file is kept open: a reader may finish with it after a later floor has replaced it.
package struct LogFloor: Sendable {
    let name: SegmentName
    let header: SegmentHeader
    package let byteCount: Int
    let frames: FrameFile
    private let file: any DiskFile

    /// The size of the hash that ends the index.
    private static let hashByteCount = 8

    /// Opens a floor and reads its header and seek table.
    ///
    /// - Throws: `LogError` with `.corrupt` if it is damaged, `.unsupportedFormat` if a newer
    ///   version wrote it.
    init(_ name: SegmentName, on disk: any Disk) throws(LogError) {
        self.name = SegmentName(name.firstSequence, .floor)
        file = try onDisk(disk.open(name.path, .read))
        byteCount = try onDisk(file.status()).sizeBytes
        frames = try FrameFile(file, byteCount: byteCount, path: name.path, as: "floor")
        let content = try frames.header(in: file)
        do throws(LogError) {
            header = try SegmentHeader(content, in: self.name)
        } catch {
            throw error.moved(by: SkippableFrame.headerByteCount)
        }
        guard header.firstSequence > 1, frameCount > 0 else { throw frames.damage("header", at: 0) }
    }

    private init(
        _ name: SegmentName, _ header: SegmentHeader, _ byteCount: Int, _ frames: FrameFile,
        in file: any DiskFile
    ) {
        (self.name, self.header, self.byteCount) = (name, header, byteCount)
        (self.frames, self.file) = (frames, file)
    }

    /// The file, relative to the store's directory.
    package var path: DiskPath { name.path }

    /// The first batch that the log keeps.
    package var firstSequence: UInt64 { header.firstSequence }

    /// The last batch that the log does not keep.
    package var head: LogHead {
        LogHead(sequence: header.firstSequence - 1, chainHash: header.chainHashBefore)
    }

    /// The time of that batch, in microseconds since 1970.
    package var time: Int64 { header.timeBefore }

    package var frameCount: Int { frames.frames.count }

    /// Reads and decompresses a frame.
    ///
    /// - Throws: `LogError` with `.corrupt` if it is not what was written.
    package func content(ofFrame number: Int) throws(LogError) -> [UInt8] {
        do throws(LogError) {
            return try frames.content(
                ofFrame: number, in: file, contentBytesMax: LogOptions().contentBytesMax)
        } catch {
            // An error of the disk does not say of which file it is.
            throw LogError(
                error.code, error.message, in: path, at: error.offset, cause: error.cause)
        }
    }

    /// Reads the index. It ends with the XXH64 of the bytes before, as every index does.
    ///
    /// - Throws: `LogError` with `.corrupt` if it is not what was written.
    package func index() throws(LogError) -> [UInt8] {
        let index = try frames.index(in: file)
        let count = index.count - Self.hashByteCount
        let isWhole = index.withBytes {
            count >= 0 && XXH64.hash($0.slice(0, count)) == $0.integer(at: count)
        }
        guard isWhole else { throw frames.damage("index", at: frames.indexOffset) }
        return index
    }

    /// Reads every frame.
    ///
    /// - Throws: `LogError` with the first one that is not what was written.
    func verify() throws(LogError) {
        if let first = try damages().first { throw first.error }
    }

    /// Reads every frame and the index, and returns what is damaged, each with its frame; nil for
    /// the index.
    ///
    /// - Throws: `LogError` if a disk operation fails.
    func damages() throws(LogError) -> [(frame: Int?, error: LogError)] {
        var found: [(frame: Int?, error: LogError)] = []
        for number in 0...frameCount {
            do throws(LogError) {
                let isIndex = number == frameCount
                _ = try isIndex ? index() : content(ofFrame: number)
            } catch {
                guard error.isDamage else { throw error }
                found.append((number < frameCount ? number : nil, error))
            }
        }
        return found
    }

    /// The same floor, read from `file`, which was opened anew.
    func read(from file: any DiskFile) -> LogFloor {
        LogFloor(name, header, byteCount, frames, in: file)
    }

    /// The error of a part of the content that the caller cannot read.
    package func damage(_ why: String) -> LogError {
        LogError(.corrupt, Self.damageText(why, before: firstSequence), in: path)
    }

    static func damageText(_ why: String, before first: UInt64) -> String {
        "the floor, which holds the state before event \(first), is damaged: \(why)"
    }

    /// The file has its name by now.
    func wasRenamed() { file.wasRenamed(to: name.path.name) }

    /// All bytes of the file.
    func bytes() throws(LogError) -> [UInt8] { try file.bytes(from: 0, count: byteCount) }
}

extension LogReader {
    /// The first batch that the log holds, or will hold.
    package var firstSequence: UInt64 { floor?.firstSequence ?? 1 }
}

/// A place after a sealed segment, before which a log may be pruned.
package struct LogBorder: Equatable, Sendable {
    /// The first batch after it.
    package let firstSequence: UInt64
    /// The time of the batch before it, in microseconds since 1970.
    package let timeBefore: Int64
    /// The bytes of the segments before it, and of the floor.
    package let byteCountBefore: Int
}

extension LogCatalog {
    /// The places after sealed segments, in order.
    var borders: [LogBorder] {
        var byteCount = floor?.byteCount ?? 0
        let next = sealed.dropFirst().map(\.header) + [(ended.first ?? active).header]
        return zip(sealed, next).map { segment, header in
            byteCount += segment.byteCount
            return LogBorder(
                firstSequence: header.firstSequence, timeBefore: header.timeBefore,
                byteCountBefore: byteCount)
        }
    }
}
