import Foundation
import SkyrosDisk
import SkyrosLog

/// How far the sealed segments were read again, as `scrub.json` keeps it.
///
/// The file is a cache: without it, reading begins anew.
struct ScrubState: Codable, Equatable, Sendable {
    /// The event with which the round continues; nil between two rounds.
    var position: UInt64?
    /// The last event of the round.
    var end: UInt64 = 0
    /// When the last round began, in microseconds since 1970.
    var startedAt: Int64?
    /// When the last whole round ended.
    var finishedAt: Int64?
    var findings: [Finding] = []

    /// A damage that was found.
    struct Finding: Codable, Equatable, Sendable {
        /// Whether a file's header, index or seek table is damaged, and not a frame.
        var isStructure: Bool
        var first: UInt64
        var last: UInt64
        var code: String
        var message: String
        var file: String
        var offset: Int?
        var foundAt: Int64

        var sequences: ClosedRange<UInt64> { min(first, last)...max(first, last) }

        /// Whether reading this piece shows whether the damage is still there.
        func isIn(_ piece: SealedCheck.Piece) -> Bool {
            piece.isStructure == isStructure && piece.sequences.overlaps(sequences)
        }
    }

    /// Further damages are reported, and not kept.
    private static let findingsMax = 1_000

    /// Records what reading a piece has found at a time.
    mutating func note(_ piece: SealedCheck.Piece, at time: Int64) {
        let known = findings.first { $0.isIn(piece) }
        findings.removeAll { $0.isIn(piece) }
        // An error of the medium says nothing about the bytes: what was known stays known.
        guard let error = piece.error else { return }
        if error.code == .io {
            if let known { findings.append(known) }
            return
        }
        guard findings.count < Self.findingsMax else { return }
        let failure = StoreError(error)
        findings.append(
            Finding(
                isStructure: piece.isStructure, first: piece.sequences.lowerBound,
                last: piece.sequences.upperBound, code: failure.code.name,
                message: error.message, file: failure.place.file ?? "", offset: error.offset,
                foundAt: known?.foundAt ?? time))
    }
}

extension ScrubState {
    static let file = DiskPath(.root, "scrub.json")
    static let unfinished = DiskPath(.root, "scrub.tmp")
    /// A larger file is not one of ours.
    private static let bytesMax = 1 << 20

    /// What the file holds; nil if there is none that can be read.
    init?(on disk: any Disk) {
        do {
            let file = try disk.open(Self.file, .read)
            let size = try file.status().sizeBytes
            // An array of no bytes is one object for all threads, into which the call would write.
            guard 1...Self.bytesMax ~= size else { return nil }
            let bytes = try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            }
            self = try JSONDecoder().decode(ScrubState.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    /// Replaces the file. A power cut may undo that.
    func write(on disk: any Disk) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try [UInt8](encoder.encode(self))
        try disk.createFile(Self.unfinished, bytes).close()
        try disk.rename(Self.unfinished, to: Self.file)
    }
}
