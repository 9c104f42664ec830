import SkyrosDisk
import TestSupport

/// Tries the bits of a file, each or a sample, side by side, and prints how often each outcome
/// came; returns what was wrong, in the order of the texts.
///
/// - Parameter outcome: what became of a flipped bit; throws if it is wrong.
func sweepBits(
    _ name: String, byteCount: Int, every interval: Int,
    _ outcome: @escaping @Sendable (_ bit: Int) throws -> String
) -> [String] {
    let findings = Locked<[String]>([])
    let tally = Locked(SweepTally(name))
    let sliceCount = 64
    inParallel(sliceCount) { slice in
        let bits = stride(from: slice * interval, to: byteCount * 8, by: sliceCount * interval)
        for bit in bits {
            do {
                let outcome = try outcome(bit)
                tally.withLock {
                    $0.count("bits")
                    $0.count(outcome)
                }
            } catch {
                findings.withLock { $0.append("bit \(bit): \(error)") }
            }
        }
    }
    tally.withLock { $0.report() }
    return findings.withLock { $0.sorted() }
}
