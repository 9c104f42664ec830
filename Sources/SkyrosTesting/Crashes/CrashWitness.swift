import Skyros
import SkyrosDisk

/// What a simulation has seen of a store, kept outside of it.
struct CrashWitness {
    /// The digest of the state after each event, when it was written; nil if nobody looked then.
    private var digests: [StateDigest?] = []
    /// How many events a power cut may not take.
    private var durableCount = 0
    /// How many events must be there at the next opening.
    private var keptCount = 0
    /// Whether a step has failed since the last event that was taken: one more event than those may
    /// stand in the log, as what fails halfway may have happened.
    private var isInDoubt = false

    /// A step has returned or failed: what it wrote before is as safe as its writes have promised.
    mutating func noteStep(_ store: Store, hasFailed: Bool) throws {
        let before = digests.count
        try noteEvents(of: store)
        if digests.count > before { isInDoubt = false }
        if hasFailed { isInDoubt = true }
    }

    private mutating func noteEvents(of store: Store) throws {
        let state = store.snapshot
        let last = Int(state.sequence.rawValue)
        while digests.count < last - 1 {
            // The disk may have failed meanwhile; then this one is not compared.
            let sequence = SequenceNumber(rawValue: UInt64(digests.count + 1))
            digests.append(try? store.snapshot(asOf: .sequence(sequence)).digest())
        }
        if digests.count < last { digests.append(try state.digest()) }
        let safe = store.safeSequences
        durableCount = max(durableCount, Int(safe.durable.rawValue))
        keptCount = max(keptCount, Int(safe.written.rawValue))
    }

    /// A power cut may take all that is not durable, a kill only what was deferred.
    mutating func notePowerCut() {
        keptCount = durableCount
    }

    /// What an opening has shown counts as durable, and the rest never was.
    mutating func noteOpened(_ store: Store) throws {
        digests.removeLast(max(0, digests.count - Int(store.sequence.rawValue)))
        try noteEvents(of: store)
        isInDoubt = false
    }

    /// What is wrong with a store that was just opened; nil if nothing is.
    func problem(with store: Store, on disk: SimulatedDisk) throws -> String? {
        let count = Int(store.sequence.rawValue)
        if count < keptCount { return "\(keptCount) events had to be kept, \(count) are there" }
        if count > digests.count + (isInDoubt ? 1 : 0) {
            return "\(digests.count) events were written, \(count) are there"
        }
        let digest = try store.snapshot.digest()
        if count > 0, count <= digests.count, let known = digests[count - 1], known != digest {
            return "the state after event \(count) is another than when it was written"
        }
        if try store.snapshot(asOf: .sequence(store.sequence)).digest() != digest {
            return "the view is not the fold of the log"
        }
        let verification = try Archive(on: disk).verify()
        if !verification.ok { return "verifying finds \(verification.problems)" }
        return nil
    }
}
