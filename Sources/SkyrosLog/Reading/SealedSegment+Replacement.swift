import SkyrosDisk

// A writer merges small segments, so their files may be replaced and removed while others read
// them. The merged file holds the same batches.

extension SealedSegment {
    /// How often the search is repeated: the file that it finds may be merged again meanwhile.
    private static let attemptsMax = 20

    /// Reads the frame with the batch `sequence`, from the file that has replaced this one if there
    /// is such a file, of which `replaced` is notified.
    func chunk(
        containing sequence: UInt64, _ format: FrameFormat, replaced: (SealedSegment) -> Void
    ) throws(LogError) -> LogChunk {
        var problem: LogError
        do throws(LogError) {
            return try chunk(containing: sequence, format)
        } catch {
            problem = error
        }
        for _ in 0..<Self.attemptsMax where problem.code == .segmentMissing {
            do throws(LogError) {
                guard let merged = try replacement(format) else { break }
                let chunk = try merged.chunk(containing: sequence, format)
                replaced(merged)
                // The reader may know of no batches after this segment.
                return chunk.cut(after: lastSequence)
            } catch {
                problem = error
            }
        }
        throw problem
    }

    /// The file that now holds all batches of this segment, as the chain hashes show; nil if there
    /// is none. A merged file has the name of its first source, so it is among the earlier ones.
    private func replacement(_ format: FrameFormat) throws(LogError) -> SealedSegment? {
        let names = try SegmentName.list(on: disk).filter {
            $0.kind == .sealed && $0.firstSequence <= first
        }
        for name in names.reversed() {
            do throws(LogError) {
                let candidate = try SealedSegment(name, on: disk)
                if try candidate.holds(header, through: head, format) { return candidate }
            } catch {
                // Damaged, another store's, or removed since the listing: it is not the one.
                let isGone = error.cause?.isNotFound ?? false
                guard isGone || error.isDamage || error.code == .segmentMissing else { throw error }
            }
        }
        return nil
    }
}
