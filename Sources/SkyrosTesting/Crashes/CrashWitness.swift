import Skyros
import SkyrosDisk

/// An oracle: it observes a store from outside, and checks it after each opening.
struct CrashWitness {
    /// The digest of the state after each event, taken when it was written; nil if unknown.
    private var digests: [StateDigest?] = []
    /// The number of events that a power cut may not take.
    private var durableCount = 0
    /// The number of events that the next opening must find.
    private var keptCount = 0
    /// Whether a step has failed since the last known event. The log may then hold one more event,
    /// since a failed write may have reached it.
    private var isInDoubt = false

    /// Records what a step has written, and how safe that is.
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
            // Unknown if the disk fails meanwhile.
            let sequence = SequenceNumber(rawValue: UInt64(digests.count + 1))
            digests.append(try? store.snapshot(asOf: .sequence(sequence)).digest())
        }
        if digests.count < last { digests.append(try state.digest()) }
        let safe = store.safeSequences
        durableCount = max(durableCount, Int(safe.durable.rawValue))
        keptCount = max(keptCount, Int(safe.written.rawValue))
    }

    /// After a power cut only durable events must be kept; after a kill all but deferred ones.
    mutating func notePowerCut() {
        keptCount = durableCount
    }

    /// Forgets the events that an opening did not find; those that it found count as durable.
    mutating func noteOpened(_ store: Store) throws {
        digests.removeLast(max(0, digests.count - Int(store.sequence.rawValue)))
        try noteEvents(of: store)
        isInDoubt = false
    }

    /// The problem of a store that was just opened; nil if there is none.
    func problem(with store: Store, on disk: SimulatedDisk) throws -> String? {
        let count = Int(store.sequence.rawValue)
        if count < keptCount {
            return "\(keptCount) events had to be kept, but the store holds \(count)"
        }
        if count > digests.count + (isInDoubt ? 1 : 0) {
            return "\(digests.count) events were written, but the store holds \(count)"
        }
        let digest = try store.snapshot.digest()
        if count > 0, count <= digests.count, let known = digests[count - 1], known != digest {
            return "the state after event \(count) differs from the state when it was written"
        }
        if try store.snapshot(asOf: .sequence(store.sequence)).digest() != digest {
            return "the view is not the fold of the log"
        }
        let verification = try Archive(on: disk).verify()
        if !verification.ok { return "Archive.verify() finds \(verification.problems)" }
        return nil
    }
}
