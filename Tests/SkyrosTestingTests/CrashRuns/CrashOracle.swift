import Skyros

/// An oracle: what was written to a store and what it acknowledged, recorded outside of it.
struct CrashOracle {
    /// A batch that was written to the store, acknowledged or not.
    struct Batch {
        /// The reason that it was written with; unique in a run.
        let marker: String
        /// All records after it.
        let state: [Int: CrashItem]
        /// Whether the marker is its idempotency key, too.
        var isOnce = false
        /// The time of its event; nil if that is not known.
        var time: EventTime?
    }

    /// The batches in the order of writing; after a recovery, those that survived.
    private(set) var batches: [Batch] = []
    /// The number of batches that a power cut may not take.
    private(set) var durableCount = 0
    /// The number of batches that the next opening must find.
    private(set) var keptCount = 0

    /// Batches that failed since the last successful one. One of them may be in the log: a failed
    /// write may have reached it.
    private(set) var doubtful: [Batch] = []

    /// The records after the last batch.
    var state: [Int: CrashItem] { state(after: batches.count) }

    func state(after count: Int) -> [Int: CrashItem] {
        count == 0 ? [:] : batches[count - 1].state
    }

    /// Must be called before the write, which may succeed and crash before it returns.
    mutating func attempt(_ batch: Batch) {
        batches.append(batch)
    }

    /// The write of the last batch gave its event this time.
    mutating func noteTime(_ time: EventTime) {
        batches[batches.count - 1].time = time
    }

    /// The write of the last batch failed.
    mutating func noteRefused() {
        doubtful.append(batches.removeLast())
    }

    /// The write of the last batch succeeded, so that no failed one can have its sequence.
    mutating func noteAccepted() {
        doubtful = []
    }

    /// The batches of a store that holds `count` of them.
    ///
    /// - Parameter isLast: whether a batch is the last one that the store holds.
    /// - Throws: `CrashFinding` if `count` is too low or too high.
    func history(
        ofStoreWith count: Int, where isLast: (Batch) -> Bool
    ) throws -> [Batch] {
        guard count >= keptCount else {
            throw CrashFinding(
                description: "P1, P2: \(keptCount) batches had to be kept, \(count) were")
        }
        if count <= batches.count { return Array(batches.prefix(count)) }
        guard count == batches.count + 1, let next = doubtful.first(where: isLast) else {
            throw CrashFinding(
                description: "P3: \(batches.count) batches were written, the store holds \(count)")
        }
        return batches + [next]
    }

    /// The first `count` batches have left the process.
    mutating func noteKept(_ count: Int) {
        keptCount = max(keptCount, count)
    }

    /// The first `count` batches were acknowledged as durable.
    mutating func noteDurable(_ count: Int) {
        durableCount = max(durableCount, count)
        noteKept(count)
    }

    /// A write of the batch with this number, counted from 1, was acknowledged.
    mutating func note(_ durability: Durability, of count: Int) {
        switch durability {
        case .deferred: break
        case .buffered: noteKept(count)
        case .durable: noteDurable(count)
        }
    }

    /// After a power cut only durable batches must be kept; after a kill all but deferred ones.
    mutating func notePowerCut() {
        keptCount = durableCount
    }

    /// Batches that an opening has found count as durable; the others are forgotten.
    mutating func noteOpened(_ history: [Batch]) {
        self = CrashOracle(knowing: history)
    }

    init() {}

    /// Creates an oracle for a store that holds these batches.
    ///
    /// - Parameter durableCount: the number of durable batches; nil for all.
    init(knowing history: [Batch], durableCount: Int? = nil) {
        batches = history
        self.durableCount = durableCount ?? history.count
        keptCount = history.count
    }
}
