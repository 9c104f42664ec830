package import SkyrosDisk

/// The name of a segment's file: the sequence of its first batch, and its kind.
///
///     events/00000000000000000001.zst     sealed: compressed
///     events/00000000000000048213.open    active, or waiting to be sealed
///     events/00000000000000048213.tmp     being written; ignored until it is renamed
///     events/00000000000000048213.floor   what the batches before have led to: see `LogFloor`
package struct SegmentName: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case sealed = "zst"
        case open
        case temporary = "tmp"
        case floor

        /// Whether such files hold batches.
        var isSegment: Bool { self == .sealed || self == .open }
    }

    private static let digitCount = 20

    package let firstSequence: UInt64
    package let kind: Kind

    package init(_ firstSequence: UInt64, _ kind: Kind) {
        self.firstSequence = firstSequence
        self.kind = kind
    }

    /// Where the header begins: in a sealed segment it is in a frame.
    var headerOffset: Int {
        kind == .sealed || kind == .floor ? SkippableFrame.headerByteCount : 0
    }

    /// Reads a file's name; nil if it is not a segment's.
    package init?(_ name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2,
            let firstSequence = UInt64(digits: parts[0], count: Self.digitCount),
            let kind = Kind(rawValue: String(parts[1]))
        else { return nil }
        self.init(firstSequence, kind)
    }

    /// The segments' files on `disk`, in the order of their names. Other names are not ours, and
    /// passed over.
    ///
    /// - Throws: `LogError` with `.unsupportedFormat` if a file has a segment's number and a kind
    ///   that only a newer version knows.
    static func list(on disk: any Disk) throws(LogError) -> [SegmentName] {
        var segments: [SegmentName] = []
        for name in try onDisk(disk.list(.events)) {
            if let segment = SegmentName(name) {
                segments.append(segment)
            } else if hasUnknownKind(name) {
                let why =
                    "events/\(name) is of a kind that this version does not know; "
                    + "use a newer version, or move the file away if it is not the store's"
                throw LogError(.unsupportedFormat, why)
            }
        }
        return segments
    }

    /// Whether the name begins as a segment's, with 20 digits and a dot, and continues as none.
    private static func hasUnknownKind(_ name: String) -> Bool {
        let digits = name.utf8.prefix(digitCount)
        let rest = name.utf8.dropFirst(digitCount)
        return digits.count == digitCount
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && rest.first == UInt8(ascii: ".")
            && Kind(rawValue: String(decoding: rest.dropFirst(), as: UTF8.self)) == nil
    }

    package var path: DiskPath { DiskPath(.events, description) }
}

extension SegmentName: CustomStringConvertible {
    package var description: String { firstSequence.digits(Self.digitCount) + ".\(kind.rawValue)" }
}
