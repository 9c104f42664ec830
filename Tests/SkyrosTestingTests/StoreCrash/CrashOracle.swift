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

    /// Batches that the store has refused since the last one that it took, although one of them may
    /// stand in the log: what fails halfway may have happened.
    private(set) var doubtful: [Batch] = []

    /// The records after the last batch.
    var state: [Int: CrashItem] { state(after: batches.count) }

    func state(after count: Int) -> [Int: CrashItem] {
        count == 0 ? [:] : batches[count - 1].state
    }

    /// To be called before the store is asked: what fails halfway may have happened.
    mutating func attempt(_ batch: Batch) {
        batches.append(batch)
    }

    /// The store threw the last batch out, and goes on without it.
    mutating func noteRefused() {
        doubtful.append(batches.removeLast())
    }

    /// The store took the last batch, so nothing can stand in its place any more.
    mutating func noteTaken() {
        doubtful = []
    }

    /// The batches of a store that holds so many.
    ///
    /// - Parameter isLast: whether a batch is the last one that the store holds.
    /// - Throws: `CrashFinding` if a store cannot hold so many or so few.
    func history(
        ofStoreWith count: Int, where isLast: (Batch) -> Bool
    ) throws -> [Batch] {
        guard count >= keptCount else {
            throw CrashFinding(
                description: "P1, P2: \(keptCount) batches had to be kept, \(count) are")
        }
        if count <= batches.count { return Array(batches.prefix(count)) }
        guard count == batches.count + 1, let next = doubtful.first(where: isLast) else {
            throw CrashFinding(
                description: "P3: \(batches.count) were written, there are \(count)")
        }
        return batches + [next]
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
    mutating func noteOpened(_ history: [Batch]) {
        self = CrashOracle(knowing: history)
    }

    init() {}

    /// What is known of a store that holds this.
    ///
    /// - Parameter durableCount: how many of the batches are durable; nil for all.
    init(knowing history: [Batch], durableCount: Int? = nil) {
        batches = history
        self.durableCount = durableCount ?? history.count
        keptCount = history.count
    }
}
