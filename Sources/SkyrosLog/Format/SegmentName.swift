package import SkyrosDisk

/// The name of a segment's file: the sequence of its first batch, and its kind.
///
///     events/00000000000000000001.zst     sealed: compressed, never changed again
///     events/00000000000000048213.open    active, or waiting to be sealed
///     events/00000000000000048213.tmp     being written; ignored until it is renamed
package struct SegmentName: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case sealed = "zst"
        case open
        case temporary = "tmp"
    }

    package let firstSequence: UInt64
    package let kind: Kind

    package init(_ firstSequence: UInt64, _ kind: Kind) {
        self.firstSequence = firstSequence
        self.kind = kind
    }

    /// Reads a file's name; nil if it is not a segment's.
    package init?(_ name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 20,
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let firstSequence = UInt64(parts[0]), let kind = Kind(rawValue: String(parts[1]))
        else { return nil }
        self.init(firstSequence, kind)
    }

    package var path: DiskPath { DiskPath(.events, description) }
}

extension SegmentName: CustomStringConvertible {
    package var description: String { firstSequence.digits(20) + ".\(kind.rawValue)" }
}
