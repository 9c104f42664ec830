import SkyrosDisk
import SkyrosLog

/// A run: the changes of consecutive events, sorted by record, in a file that never changes.
///
/// The file is kept open, and its index in memory.
final class HistoryRun: Sendable {
    /// Frames larger than this are refused before memory is allocated: one holds a version that
    /// is longer than a frame, or less than two frames.
    static let frameBytesMax = 64 << 20

    let name: RunName
    let header: RunHeader
    let index: RunIndex
    let byteCount: Int
    private let file: any DiskFile
    private let frames: FrameFile
    private let cache: FrameCache
    /// The cache's name of this file: another one may have the same name later.
    private let number: Int

    var first: UInt64 { header.sequences.lowerBound }
    var last: UInt64 { header.sequences.upperBound }
    var frameCount: Int { frames.frames.count }

    /// Opens a run, and reads all of it but its frames.
    ///
    /// - Throws: `LogError` with `.corrupt` if it is damaged, `.unsupportedFormat` if another
    ///   version of the library has written it.
    init(_ name: RunName, on disk: any Disk, cache: FrameCache) throws(LogError) {
        self.name = name
        self.cache = cache
        number = cache.nextNumber()
        do throws(DiskError) {
            file = try disk.open(name.path, .read)
            byteCount = try file.status().sizeBytes
        } catch {
            throw LogError(error)
        }
        frames = try FrameFile(file, byteCount: byteCount, path: name.path, as: "run")
        let headerBytes = try frames.header(in: file)
        guard let header = RunHeader(headerBytes) else {
            throw RunHeader.isOtherFormat(headerBytes)
                ? LogError(.unsupportedFormat, "the run is of another format", in: name.path)
                : LogError(.corrupt, "the run's header is damaged", in: name.path)
        }
        self.header = header
        guard let index = RunIndex(try frames.index(in: file)),
            index.frameCount == frames.frames.count, index.frameCount > 0,
            header.sequences == name.sequences
        else { throw LogError(.corrupt, "the run's index is damaged", in: name.path) }
        self.index = index
    }

    /// Calls `body` with the versions of `key`, oldest first, until it returns false.
    ///
    /// - Parameter hash: that of the key.
    /// - Complexity: O(1) for most keys that the run does not have; otherwise O(log n), and the
    ///   frames with the key's versions.
    /// - Throws: `LogError` with `.corrupt` if a frame is damaged.
    func forEachVersion(
        of key: HistoryKey, hash: UInt64, _ body: (RecordVersion) throws -> Bool
    ) throws {
        guard index.filter.mayContain(hash) else { return }
        for number in try reading(body: { try index.frames(of: key) }) {
            let isWanted = try forEachItem(ofFrame: number) { item in
                guard item.matches(key) else { return true }
                var reader = CBORReader(item.versions)
                while !reader.isAtEnd {
                    guard try body(RecordVersion(&reader)) else { return false }
                }
                return true
            }
            guard isWanted else { return }
        }
    }

    /// The events in a range that have a label, in order.
    ///
    /// - Parameter hash: that of the label.
    /// - Complexity: O(1) for most labels that the run does not have; otherwise O(log n), and the
    ///   frames with the label's events of the range.
    func postings(
        of label: HistoryKey, hash: UInt64, in sequences: ClosedRange<UInt64>
    ) throws -> [UInt64] {
        guard index.filter.mayContain(hash) else { return [] }
        var found: [UInt64] = []
        let range = try reading { try index.frames(of: label) }
        for number in range {
            if let first = try firstEvent(ofFrame: number, if: label), first > sequences.upperBound
            {
                break
            }
            if number + 1 < range.upperBound,
                let next = try firstEvent(ofFrame: number + 1, if: label),
                next <= sequences.lowerBound
            {
                continue
            }
            _ = try forEachItem(ofFrame: number) { item in
                guard item.matches(label) else { return true }
                var reader = CBORReader(item.versions)
                while !reader.isAtEnd {
                    try Postings.forEach(&reader) { sequence in
                        if sequences.contains(sequence) { found.append(sequence) }
                    }
                }
                return true
            }
        }
        return found
    }

    /// The first event in a frame, if that begins with this label.
    private func firstEvent(ofFrame number: Int, if label: HistoryKey) throws -> UInt64? {
        try reading {
            guard try index.compareKey(ofFrame: number, to: label) == 0 else { return nil }
            return index.firstSequence(ofFrame: number)
        }
    }

    /// The texts of all labels of a kind.
    ///
    /// - Complexity: O(frames with such labels).
    func labels(_ kind: EventLabel.Kind) throws -> [String] {
        let first = EventLabel.key(kind, "")
        var texts: [String] = []
        var number = try reading { try index.frames(of: first).lowerBound }
        var mayFollow = true
        while mayFollow, number < frameCount {
            mayFollow = try forEachItem(ofFrame: number) { item in
                let key = item.historyKey
                if let text = EventLabel.text(of: key, kind) {
                    if texts.last?.isSameName(as: text) != true { texts.append(text) }
                } else if first < key {
                    return false
                }
                return true
            }
            number += 1
        }
        return texts
    }

    /// Calls `body` with the items of a frame, until it returns false; returns whether it never
    /// did.
    private func forEachItem(
        ofFrame number: Int, _ body: (RunItem) throws -> Bool
    ) throws -> Bool {
        let content = try content(ofFrame: number)
        return try reading(number) { try RunItem.forEach(in: content, body) }
    }

    /// The versions of `key` through the event `last` that are needed to make the record of then:
    /// the newest, and those before it up to one with the whole record. Oldest first.
    func versions(
        of key: HistoryKey, hash: UInt64, through last: SequenceNumber
    ) throws -> [RecordVersion] {
        guard index.filter.mayContain(hash) else { return [] }
        let range = try reading { try index.frames(of: key) }
        var versions: [RecordVersion] = []
        for number in range.reversed() {
            // A frame that begins with later versions of the key.
            let isLater = try reading {
                guard index.firstSequence(ofFrame: number) > last.rawValue else { return false }
                return try index.compareKey(ofFrame: number, to: key) == 0
            }
            if isLater { continue }
            var found: [RecordVersion] = []
            _ = try forEachItem(ofFrame: number) { item in
                guard item.matches(key) else { return true }
                let needed = try RecordVersion.needed(of: item.versions, through: last)
                if needed.first?.isWhole ?? false { found.removeAll() }
                found += needed
                return true
            }
            versions = found + versions
            if versions.first?.isWhole ?? false { break }
        }
        return versions
    }

    /// Calls `body` with the ids of an entity's records and their versions, items of CBOR, in
    /// order.
    ///
    /// - Complexity: O(log n), and the frames with records of the entity.
    func forEachRecord(
        of entity: [UInt8], _ body: (RecordID, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let first = HistoryKey(entity: entity, id: nil)
        var number = try reading { try index.frames(of: first).lowerBound }
        var mayFollow = true
        while mayFollow, number < frameCount {
            let content = try readContent(ofFrame: number)
            mayFollow = try reading(number) {
                try RunItem.forEachRecord(of: entity, in: content, body)
            }
            number += 1
        }
    }

    /// Calls `body` with each item and the number of its frame, in order.
    func forEachItem(_ body: (RunItem, Int) throws -> Void) throws {
        for number in 0..<frameCount {
            let content = try readContent(ofFrame: number)
            try reading(number) {
                _ = try RunItem.forEach(in: content) { item in
                    try body(item, number)
                    return true
                }
            }
        }
    }

    /// The items of a frame, without keeping it: for merges, which read each frame once.
    func readContent(ofFrame number: Int) throws(LogError) -> [UInt8] {
        do throws(LogError) {
            return try frames.content(
                ofFrame: number, in: file, contentBytesMax: Self.frameBytesMax)
        } catch {
            // An error of the disk does not say of which file it is.
            throw LogError(error.code, error.message, in: name.path, cause: error.cause)
        }
    }

    private func content(ofFrame number: Int) throws(LogError) -> [UInt8] {
        if let content = cache.content(of: self.number, number) { return content }
        let content = try readContent(ofFrame: number)
        cache.insert(content, of: self.number, number)
        return content
    }

    /// Runs `body`, and turns an error of reading CBOR into one of the file.
    private func reading<R>(_ frame: Int? = nil, body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as CBORError {
            throw damage(frame, error)
        }
    }

    /// The error of a frame, or without a number of the index, that cannot be read.
    func damage(_ frame: Int?, _ error: CBORError) -> LogError {
        let place = frame.map { "frame \($0)" } ?? "the index"
        return LogError(.corrupt, "\(place) of the run is damaged: \(error)", in: name.path)
    }
}
