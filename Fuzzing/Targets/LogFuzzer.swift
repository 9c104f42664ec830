@testable import SkyrosLog

/// Opens a log whose files come from the input.
enum LogFuzzer: Fuzzer {
    static let name = "log"
    static let inputBytesMax = 4_096
    private static let kinds: [SegmentName.Kind] = [.open, .sealed, .temporary, .floor]

    static func seeds() throws -> [[UInt8]] {
        let images = LogImage.all
        let ends = images.map { image in
            bytes(of: image, image.names.suffix(1))
        }
        return images.map { bytes(of: $0, $0.names) } + ends
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        var input = FuzzInput(bytes)
        var files: [SegmentName: [UInt8]] = [:]
        while !input.isAtEnd {
            let kind = kinds[input.below(kinds.count)]
            let first = UInt64(input.byte())
            files[SegmentName(first, kind)] = input.string()
        }
        try LogContent().check(LogImage(files: files).disk())
    }

    private static func bytes(of image: LogImage, _ names: [SegmentName]) -> [UInt8] {
        names.flatMap { name in
            [UInt8(kinds.firstIndex(of: name.kind) ?? 0), UInt8(name.firstSequence)]
                + (image.files[name] ?? []).asFuzzString
        }
    }
}
