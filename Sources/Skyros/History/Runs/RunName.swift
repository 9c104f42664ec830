import SkyrosDisk
import SkyrosLog

/// The name of a run's file: the first and the last event that it covers.
///
///     history/00000000000000000001-00000000000003145728.zst
///     history/00000000000000000001-00000000000003145728.tmp     being written
struct RunName: Hashable, Sendable {
    enum Kind: String, Sendable {
        case run = "zst"
        case temporary = "tmp"
    }

    private static let digitCount = 20

    let sequences: ClosedRange<UInt64>
    let kind: Kind

    init(_ sequences: ClosedRange<UInt64>, _ kind: Kind = .run) {
        self.sequences = sequences
        self.kind = kind
    }

    /// Reads a file's name; nil if it is not that of a run.
    init?(_ name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[1])) else { return nil }
        let numbers = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2,
            let first = UInt64(digits: numbers[0], count: Self.digitCount),
            let last = UInt64(digits: numbers[1], count: Self.digitCount), 0 < first, first <= last
        else { return nil }
        self.init(first...last, kind)
    }

    /// The names of the runs on `disk`, in order. Other names are not ours, and passed over.
    static func list(on disk: any Disk) throws(DiskError) -> [RunName] {
        try disk.list(.history).compactMap { RunName($0) }
    }

    var path: DiskPath { DiskPath(.history, description) }
}

extension RunName: CustomStringConvertible {
    var description: String {
        let numbers = [sequences.lowerBound, sequences.upperBound]
        return numbers.map { $0.digits(Self.digitCount) }.joined(separator: "-")
            + ".\(kind.rawValue)"
    }
}
