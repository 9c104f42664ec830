import SkyrosDisk

/// The payload of an opening block: a CBOR map with the boot ID of the machine and the identity of
/// the store's directory. Later versions may add keys, which a reader skips.
///
///     { "boot": text, "directory": unsigned }
struct OpeningPayload: Equatable {
    /// The identity of the boot; empty if the system has none.
    private(set) var bootID = ""
    /// The identity of the store's directory; nil if the system has none.
    private(set) var directoryID: UInt64?

    private enum Key {
        static let boot = Array("boot".utf8)
        static let directory = Array("directory".utf8)
    }

    init(bootID: String, directoryID: UInt64?) {
        self.bootID = bootID
        self.directoryID = directoryID
    }

    /// The payload for a log that is opened on `disk`.
    init(on disk: any Disk) {
        self.init(bootID: disk.bootID, directoryID: disk.directoryID)
    }

    /// The payload for a file that is written to `disk` as a whole, and ends as after a closing. It
    /// names no directory, so that the next opening makes the file's name durable.
    init(ofFileOn disk: any Disk) {
        self.init(bootID: disk.bootID, directoryID: nil)
    }

    var bytes: [UInt8] {
        var bytes = CBORItem.head(CBORItem.map, directoryID == nil ? 1 : 2)
        bytes += CBORItem.head(CBORItem.text, UInt64(Key.boot.count)) + Key.boot
        bytes += CBORItem.head(CBORItem.text, UInt64(bootID.utf8.count)) + Array(bootID.utf8)
        guard let directoryID else { return bytes }
        bytes += CBORItem.head(CBORItem.text, UInt64(Key.directory.count)) + Key.directory
        return bytes + CBORItem.head(CBORItem.unsigned, directoryID)
    }

    /// Appends the opening block with this payload; `sequence` and `chainHash` are those of the
    /// batch before it.
    func appendBlock(
        to bytes: inout [UInt8], _ sequence: UInt64, _ chainHash: ChainHash,
        durableByteCount: Int, salt: UInt64
    ) {
        self.bytes.withBytes { payload in
            let block = Block(
                .opening, payload: payload, payloadHash: XXH64.hash(payload),
                sequence: sequence, chainHash: chainHash, durableByteCount: durableByteCount)
            block.append(to: &bytes, payload: payload, salt: salt)
        }
    }

    /// Reads a payload; nil if it is not a map, or names no boot.
    init?(_ payload: UnsafeRawBufferPointer) {
        var item = CBORItem(payload)
        guard let map = item.readHead(), map.type == CBORItem.map else { return nil }
        var hasBoot = false
        for _ in 0..<min(map.argument, UInt64(payload.count)) {
            guard let key = item.readText() else { break }
            if key.elementsEqual(Key.boot) {
                guard let boot = item.readText() else { break }
                bootID = String(decoding: boot, as: UTF8.self)
                hasBoot = true
            } else if key.elementsEqual(Key.directory) {
                guard let id = item.readHead(), id.type == CBORItem.unsigned else { break }
                directoryID = id.argument
            } else if !item.skip() {
                break
            }
        }
        guard hasBoot else { return nil }
    }
}

/// A cursor over the little CBOR that the log itself has. Batches are only bytes to it.
private struct CBORItem {
    static let unsigned: UInt8 = 0
    static let text: UInt8 = 3
    static let map: UInt8 = 5
    /// Arrays, maps and tags around an item, at most.
    private static let depthMax = 16

    let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    static func head(_ type: UInt8, _ argument: UInt64) -> [UInt8] {
        if argument < 24 { return [type << 5 | UInt8(argument)] }
        if argument < 0x100 { return [type << 5 | 24, UInt8(argument)] }
        let size = argument < 0x1_0000 ? 1 : argument < 0x1_0000_0000 ? 2 : 3
        let bytes = (0..<(1 << size)).reversed().map {
            UInt8(truncatingIfNeeded: argument >> (8 * UInt64($0)))
        }
        return [type << 5 | 24 + UInt8(size)] + bytes
    }

    /// Reads a head of definite length; nil if there is none.
    mutating func readHead() -> (type: UInt8, argument: UInt64)? {
        guard offset < bytes.count else { return nil }
        let first = bytes[offset]
        let detail = Int(first & 0x1F)
        offset += 1
        if detail < 24 { return (first >> 5, UInt64(detail)) }
        let size = 1 << (detail - 24)
        guard detail < 28, bytes.count - offset >= size else { return nil }
        let argument = bytes.slice(offset, size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        offset += size
        return (first >> 5, argument)
    }

    /// Reads a text; nil if there is none.
    mutating func readText() -> UnsafeRawBufferPointer? {
        guard let head = readHead(), head.type == Self.text,
            head.argument <= UInt64(bytes.count - offset)
        else { return nil }
        let content = bytes.slice(offset, Int(head.argument))
        offset += content.count
        return content
    }

    /// Skips an item of any type; returns whether there was one.
    mutating func skip(depth: Int = 0) -> Bool {
        guard depth < Self.depthMax, let head = readHead() else { return false }
        let rest = UInt64(bytes.count - offset)
        switch head.type {
        case 2, 3:
            guard head.argument <= rest else { return false }
            offset += Int(head.argument)
            return true
        case 4, 5, 6:
            let (count, overflow) = head.argument.multipliedReportingOverflow(by: 2)
            let items = head.type == 6 ? 1 : head.type == 5 ? count : head.argument
            guard !(head.type == 5 && overflow), items <= rest else { return false }
            for _ in 0..<items where !skip(depth: depth + 1) { return false }
            return true
        default:
            return true
        }
    }
}
