@testable import SkyrosLog

/// Damages an intact log as the input describes, and checks that everything that can still be read
/// was written.
///
/// It sets fewer bytes than a checksum has, so that the input cannot forge one; other kinds of
/// damage are not limited.
enum DamageFuzzer: Fuzzer {
    static let name = "damage"
    static let inputBytesMax = 64
    private static let setBytesMax = 6

    static func seeds() throws -> [[UInt8]] {
        (0..<3).flatMap { image in (0..<8).map { [image, $0, 0, 100, 0, 7] } }
            + [[0], [0, 0, 3, 200, 0, 1, 2, 1, 50, 0, 0], [2]]
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        var input = FuzzInput(bytes)
        let image = LogImage.all[input.below(LogImage.all.count)]
        var files = image.files
        var left = setBytesMax
        while !input.isAtEnd {
            damage(&files, image.names, &input, &left)
        }
        try LogContent(written: image).check(LogImage(files: files).disk())
    }

    private static func damage(
        _ files: inout [SegmentName: [UInt8]], _ names: [SegmentName], _ input: inout FuzzInput,
        _ left: inout Int
    ) {
        let kind = input.below(8)
        let name = names[input.below(names.count)]
        guard var bytes = files[name], !bytes.isEmpty else { return }
        let offset = input.below(bytes.count)
        let setsByte = kind < 2
        if setsByte {
            guard left > 0 else { return }
            left -= 1
        }
        switch kind {
        case 0: bytes[offset] = input.byte()
        case 1: bytes[offset] ^= 1 << UInt8(input.below(8))
        case 2: bytes.removeLast(bytes.count - offset)
        case 3: zero(&bytes, from: offset, count: input.word())
        case 4: bytes += [UInt8](repeating: 0, count: offset)
        case 5: repeatSector(&bytes, from: offset, at: input.below(bytes.count))
        case 6:
            files[name] = nil
            return
        default:
            // The file replaces another one, or is a second form of it.
            let other = names[input.below(names.count)]
            let kind = LogImage.kinds[input.below(LogImage.kinds.count)]
            files[SegmentName(other.firstSequence, kind)] = bytes
            return
        }
        files[name] = bytes
    }

    private static func zero(_ bytes: inout [UInt8], from offset: Int, count: Int) {
        for index in offset..<min(bytes.count, offset + count) { bytes[index] = 0 }
    }

    /// Overwrites a sector with another one.
    private static func repeatSector(_ bytes: inout [UInt8], from source: Int, at target: Int) {
        let (source, target) = (source / 8 * 8, target / 8 * 8)
        let count = min(512, bytes.count - max(source, target))
        bytes.replaceSubrange(target..<target + count, with: Array(bytes[source..<source + count]))
    }
}
