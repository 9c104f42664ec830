import SkyrosLog

/// The beginning of a run's file: the part of which history it covers.
///
/// A map of CBOR, and the XXH64 of it. Source of the layout: docs/history-format.md.
struct RunHeader: Equatable, Sendable {
    /// The format that this library writes, and the only one that it reads: a run can be made anew.
    static let format = 5

    /// A larger size of a log is damage: sizes are added.
    private static let logByteCountMax = 1 << 50

    enum Key {
        static let last: StaticString = "last"
        static let first: StaticString = "first"
        static let store: StaticString = "store"
        static let format: StaticString = "format"
        static let lastTime: StaticString = "lastTime"
        static let firstTime: StaticString = "firstTime"
        static let chainHashAfter: StaticString = "chainHashAfter"
        static let chainHashBefore: StaticString = "chainHashBefore"
        static let logByteCount: StaticString = "logByteCount"
        static let lastHappened: StaticString = "lastHappened"
        static let firstHappened: StaticString = "firstHappened"
    }

    let storeID: StoreID
    let sequences: ClosedRange<UInt64>
    /// The times of the first and the last event.
    let times: TimeSpan
    /// When these two happened; nil if the events did not happen in the order of the log.
    let happened: TimeSpan?
    /// The chain hashes before the first event and through the last.
    let chainHashBefore: ChainHash
    let chainHashAfter: ChainHash
    /// The size of the events, which decides what is merged.
    let logByteCount: Int

    var bytes: [UInt8] {
        var writer = CBORWriter()
        writer.appendMapHead(happened == nil ? 9 : 11)
        writer.append(text: Key.last)
        writer.append(sequences.upperBound)
        writer.append(text: Key.first)
        writer.append(sequences.lowerBound)
        writer.append(text: Key.store)
        writer.append(bytes: storeID.bytes)
        writer.append(text: Key.format)
        writer.append(Int64(Self.format))
        writer.append(text: Key.lastTime)
        writer.append(times.end)
        writer.append(text: Key.firstTime)
        writer.append(times.start)
        if let happened {
            writer.append(text: Key.lastHappened)
            writer.append(happened.end)
        }
        writer.append(text: Key.logByteCount)
        writer.append(Int64(logByteCount))
        if let happened {
            writer.append(text: Key.firstHappened)
            writer.append(happened.start)
        }
        writer.append(text: Key.chainHashAfter)
        writer.append(chainHashAfter.rawValue)
        writer.append(text: Key.chainHashBefore)
        writer.append(chainHashBefore.rawValue)
        return HashedBytes.appendingHash(to: writer.array)
    }
}

extension RunHeader {
    /// Reads a header; nil if the bytes are not one of this format.
    init?(_ bytes: [UInt8]) {
        guard let map = HashedBytes.content(of: bytes),
            let header = try? map.withUnsafeBytes({ try RunHeader(reading: $0) })
        else { return nil }
        self = header
    }

    /// Whether a header, which is whole, is of another format.
    static func isOtherFormat(_ bytes: [UInt8]) -> Bool {
        guard let map = HashedBytes.content(of: bytes),
            let fields = try? FieldValue(cbor: [UInt8](map)).map
        else { return false }
        return fields["format"] != .integer(Int128(format))
    }

    private init?(reading bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        var (first, last, before, after): (UInt64, UInt64, UInt64?, UInt64?) = (0, 0, nil, nil)
        var (storeID, format, logByteCount): (StoreID?, Int, Int) = (nil, 0, 0)
        var (firstTime, lastTime): (Int64?, Int64?) = (nil, nil)
        var (firstHappened, lastHappened): (Int64?, Int64?) = (nil, nil)
        for _ in 0..<(try reader.readMapHead()) {
            switch try reader.readUTF8() {
            case Key.first: first = try reader.readInteger(UInt64.self)
            case Key.last: last = try reader.readInteger(UInt64.self)
            case Key.store: storeID = StoreID([UInt8](try reader.readBytes()))
            case Key.format: format = try reader.readInteger(Int.self)
            case Key.firstTime: firstTime = try reader.readInteger(Int64.self)
            case Key.lastTime: lastTime = try reader.readInteger(Int64.self)
            case Key.lastHappened: lastHappened = try reader.readInteger(Int64.self)
            case Key.firstHappened: firstHappened = try reader.readInteger(Int64.self)
            case Key.logByteCount: logByteCount = try reader.readInteger(Int.self)
            case Key.chainHashAfter: after = try reader.readInteger(UInt64.self)
            case Key.chainHashBefore: before = try reader.readInteger(UInt64.self)
            default: try reader.skipValue()
            }
        }
        guard format == Self.format, 0 < first, first <= last, let storeID, let before, let after,
            let firstTime, let lastTime, (firstHappened == nil) == (lastHappened == nil),
            firstHappened ?? 0 <= lastHappened ?? 0,
            (0...Self.logByteCountMax).contains(logByteCount)
        else { return nil }
        self.init(
            storeID: storeID, sequences: first...last,
            times: TimeSpan(from: firstTime, through: lastTime),
            happened: firstHappened.flatMap { first in
                lastHappened.map { TimeSpan(from: first, through: $0) }
            },
            chainHashBefore: ChainHash(rawValue: before),
            chainHashAfter: ChainHash(rawValue: after), logByteCount: logByteCount)
    }
}

/// Bytes that are followed by their XXH64, as a little-endian number.
enum HashedBytes {
    private static let hashByteCount = 8

    static func appendingHash(to bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        result.append(littleEndian: XXH64.hash(bytes))
        return result
    }

    /// The bytes without the hash; nil if it is another one.
    static func content(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.count >= hashByteCount else { return nil }
        let content = bytes.dropLast(hashByteCount)
        let hash = content.withUnsafeBytes { XXH64.hash($0) }
        let stated: UInt64 = bytes.withUnsafeBytes { $0.integer(at: content.count) }
        return hash == stated ? content : nil
    }
}
