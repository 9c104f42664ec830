/// The payload of an opening block: a CBOR map with the boot ID of the machine. Later versions may
/// add keys, which a reader skips.
///
///     { "boot": text }
struct OpeningPayload: Equatable {
    /// The identity of the boot; empty if the system has none.
    let bootID: String

    private static let key = Array("boot".utf8)

    init(bootID: String) {
        self.bootID = bootID
    }

    var bytes: [UInt8] {
        var bytes = CBORItem.head(CBORItem.map, 1)
        bytes += CBORItem.head(CBORItem.text, UInt64(Self.key.count)) + Self.key
        bytes += CBORItem.head(CBORItem.text, UInt64(bootID.utf8.count)) + Array(bootID.utf8)
        return bytes
    }

    /// Reads a payload; nil if it is not a map, or names no boot.
    init?(_ payload: UnsafeRawBufferPointer) {
        var item = CBORItem(payload)
        guard let map = item.readHead(), map.type == CBORItem.map else { return nil }
        for _ in 0..<min(map.argument, UInt64(payload.count)) {
            guard let key = item.readText() else { return nil }
            if key.elementsEqual(Self.key) {
                guard let boot = item.readText() else { return nil }
                bootID = String(decoding: boot, as: UTF8.self)
                return
            }
            guard item.skip() else { return nil }
        }
        return nil
    }
}

/// A cursor over the little CBOR that the log itself has. Batches are only bytes to it.
private struct CBORItem {
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
        return [type << 5 | 25, UInt8(truncatingIfNeeded: argument >> 8), UInt8(argument & 0xFF)]
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
