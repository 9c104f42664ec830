/// What a store was told and what it acknowledged, kept outside of it.
struct CrashOracle {
    /// A batch that was handed to the store, whether or not it was acknowledged.
    struct Batch {
        /// The reason it was written with; no two batches of a run share one.
        let marker: String
        /// All records after it.
        let state: [Int: CrashItem]
    }

    /// In the order of writing; after a recovery, those that survived.
    private(set) var batches: [Batch] = []
    /// How many of them a power cut may not take.
    private(set) var durableCount = 0
    /// How many of them must be there at the next opening.
    private(set) var keptCount = 0

    /// The records after the last batch.
    var state: [Int: CrashItem] { state(after: batches.count) }

    func state(after count: Int) -> [Int: CrashItem] {
        count == 0 ? [:] : batches[count - 1].state
    }

    /// To be called before the store is asked: what fails halfway may have happened.
    mutating func attempt(_ batch: Batch) {
        batches.append(batch)
    }

    /// Everything up to this batch has left the process.
    mutating func noteKept(_ count: Int) {
        keptCount = max(keptCount, count)
    }

    /// Everything up to this batch was acknowledged as durable.
    mutating func noteDurable(_ count: Int) {
        durableCount = max(durableCount, count)
        noteKept(count)
    }

    /// A power cut may take all that is not durable, a kill only what was deferred.
    mutating func notePowerCut() {
        keptCount = durableCount
    }

    /// What an opening has shown counts as durable, and the rest never was.
    mutating func noteOpened(_ count: Int) {
        batches.removeLast(batches.count - count)
        durableCount = count
        keptCount = count
    }
}
