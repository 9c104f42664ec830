import SkyrosDisk
import SkyrosLog
import SkyrosTesting

@testable import Skyros

/// One to three sessions of one store, each ended by a crash, determined by random choices.
///
/// A session opens the store, which crashes up to three times on the way, compares it with the
/// oracle, and then writes, seals, syncs and so on until a fault ends it. It runs the steps of the
/// background maintenance itself, so that the same choices lead to the same disk operations.
struct CrashRun {
    private static let sessionCountMax = 3
    private static let stepCountMax = 24

    private let random: any Entropy
    private let clock = ManualClock()
    private let sizes: SegmentSizes
    private let hasCheckpoint: Bool
    private var disk: SimulatedDisk
    private var batchNumber = 0
    private var oracle = CrashOracle()
    /// Whether a power cut may have left half a checkpoint, which the reader must detect.
    private var mayRebuild = false
    /// The trace of the run for the message of a failure; nil if it is not recorded.
    private(set) var trace: [String]?

    init(_ random: any Entropy, hasCheckpoint: Bool, isTraced: Bool) {
        self.random = random
        trace = isTraced ? [] : nil
        self.hasCheckpoint = hasCheckpoint
        disk = SimulatedDisk(hasCheckpoints: hasCheckpoint)
        let full = 300 + Int(random.next() % 1_500)
        // In half of the runs segments are sealed before they are full, and merged.
        let least = random.next() % 2 == 0 ? 64 << 10 : Int(random.next() % 400)
        sizes = SegmentSizes(full: full, least: least)
    }

    /// - Throws: `CrashFinding`, or an unexpected error of the store.
    mutating func run() throws {
        for session in 1...1 + below(Self.sessionCountMax) {
            note("session \(session)")
            var store: Store? = try openThroughCrashes()
            if let store { try work(on: store) }
            try crash()
            store = nil
        }
        try check(open())
    }

    /// Runs, and returns the failure with the trace, if one is recorded; nil if the run succeeds.
    mutating func finding() -> String? {
        do {
            try run()
            return nil
        } catch {
            return (["\(error)"] + (trace ?? [])).joined(separator: "\n")
        }
    }

    private mutating func note(_ line: @autoclosure () -> String) {
        trace?.append(line())
    }

    private func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
}

// MARK: Opening and crashing

extension CrashRun {
    private mutating func openThroughCrashes() throws -> Store {
        for _ in 0..<3 where below(3) == 0 {
            let after = below(40)
            note("an opening in which all operations fail, from number \(after + 1) on")
            disk.inject(Fault(nil, after: after, isLasting: true))
            do {
                let store = try open()
                disk.heal()
                try check(store)
                try crash()
            } catch let error as StoreError {
                try error.expectNoDamage()
                try crash()
            }
        }
        let store = try open()
        try check(store)
        return store
    }

    /// Compares a store that was just opened with the oracle, and sets the oracle to what it holds.
    private mutating func check(_ store: Store) throws {
        let (kept, written) = (oracle.keptCount, oracle.batches.count)
        note("  opened at event \(store.sequence), expected \(kept) to \(written)")
        let check = CrashCheck(
            store: store, disk: disk, oracle: oracle, mayRebuild: mayRebuild)
        oracle.noteOpened(try check.run())
    }

    private func open() throws -> Store {
        try Store.forCrashes(
            on: disk, sizes, clock: clock, seed: random.next())
    }

    /// Simulates a kill or a power cut, and continues with the disk that is left.
    private mutating func crash() throws {
        let isKill = below(4) == 0
        let image = random.next()
        let before = disk
        disk = isKill ? before.killed() : before.crashed(seed: image)
        mayRebuild = mayRebuild || before.hasLostJournal
        note("\(isKill ? "kill" : "power cut") after \(before.operationsText)")
        if !isKill { oracle.notePowerCut() }
        // The old store closes when it is released; its operations must have no effect.
        before.inject(Fault(nil, isLasting: true))
    }
}

// MARK: Working

extension CrashRun {
    /// Performs a random number of steps, or until one fails.
    private mutating func work(on store: Store) throws {
        injectFault()
        do {
            for _ in 0..<below(Self.stepCountMax) { try step(store) }
        } catch let error as StoreError {
            note("  failed: \(error.code)")
            try error.expectNoDamage()
        }
    }

    /// Mostly, all operations fail from a random one on, as in a crash at that moment. Otherwise
    /// only one operation fails.
    private mutating func injectFault() {
        // With checkpoints there are more operations.
        let after = below(hasCheckpoint ? 250 : 60)
        let fault =
            switch below(8) {
            case 0: Fault(.syncFile, after: after / 8)
            case 1: Fault(.syncDirectory, after: after / 16)
            case 2: Fault(.write, after: after / 4, reason: .noSpace, writtenBytes: below(64))
            default: Fault(nil, after: after, isLasting: true, writtenBytes: below(600))
            }
        disk.inject(fault)
        let kind = fault.kind?.rawValue ?? "everything"
        note("  \(kind) fails after \(fault.after), with \(fault.writtenBytes) bytes written")
    }

    private mutating func step(_ store: Store) throws {
        clock.advance(byMicroseconds: Int64(below(2_000)) - 500)
        switch below(18) {
        case 0, 1:
            note("  seal")
            try store.run(.seal)
        case 2:
            note("  idle mark")
            try store.run(.mark)
        case 3 where hasCheckpoint:
            note("  checkpoint")
            try store.maintenance.checkpoint()
            oracle.noteDurable(oracle.batches.count)
        case 4 where below(4) == 0:
            note("  close")
            try store.close()
            oracle.noteDurable(oracle.batches.count)
        case 5:
            try failToWrite(store)
        case 6:
            note("  a pause")
            try store.run(.endSegment)
        case 7:
            note("  merge")
            try store.run(.merge)
        case 8:
            note("  scrub")
            try scrub(store)
        case 9:
            note("  index of the history")
            try store.run(.indexHistory)
            oracle.noteDurable(oracle.batches.count)
        case 10:
            try repeatWrite(store)
        case 11:
            note("  prune")
            try store.run(.prune)
            // Only what is durable is pruned.
            oracle.noteDurable(Int(store.firstSequence.rawValue) - 1)
        default:
            try write(store)
        }
    }

    /// Reads the sealed segments again: no crash and no failing operation is rot.
    private func scrub(_ store: Store) throws {
        clock.advance(byMicroseconds: 6 * 86_400 * 1_000_000)
        try store.run(.scrub)
        let findings = ScrubState(on: disk)?.findings ?? []
        guard findings.isEmpty else {
            throw CrashFinding(description: "a scrub found damage: \(findings)")
        }
    }

    private mutating func write(_ store: Store) throws {
        batchNumber += 1
        let (edits, state) = edits()
        let durability = [.deferred, .buffered, .durable][below(3)] as Durability
        let marker = "batch \(batchNumber)"
        note("  \(marker), \(durability): \(edits)")
        let isOnce = below(3) == 0
        oracle.attempt(CrashOracle.Batch(marker: marker, state: state, isOnce: isOnce))
        try store.write(once: isOnce ? marker : nil, because: marker, durability) { tx in
            for edit in edits { try edit.apply(to: &tx) }
        }
        oracle.noteTime(store.snapshot.time)
        oracle.note(durability, of: oracle.batches.count)
    }

    /// The same key as an earlier write. Its block must not run, unless the window has passed.
    private mutating func repeatWrite(_ store: Store) throws {
        let known = oracle.batches.indices.filter { oracle.batches[$0].isOnce }
        guard !known.isEmpty else { return }
        let index = known[below(known.count)]
        let marker = oracle.batches[index].marker
        let durability = [.deferred, .buffered, .durable][below(3)] as Durability
        note("  the key of \(marker) again, \(durability)")
        struct HasExpired: Error {}
        do {
            let receipt = try store.write(once: marker, durability: durability) { _ in
                throw HasExpired()
            }
            guard receipt.isRepeated, receipt.sequence?.rawValue == UInt64(index + 1) else {
                throw CrashFinding(description: "\(marker) was repeated as \(receipt)")
            }
            oracle.note(durability, of: index + 1)
        } catch is HasExpired {}
    }

    /// A block that catches errors of its edits and then throws must leave no event.
    private mutating func failToWrite(_ store: Store) throws {
        note("  a block that throws")
        let before = store.sequence
        let edits = (0...below(3)).map { _ in edit(oracle.state) }
        let (known, unknown) = (item(0), item(100))
        do {
            try store.write(because: "never") { tx in
                for edit in edits {
                    try edit.apply(to: &tx)
                    // One of these may fail, depending on the state.
                    try? tx.insert(known)
                    try? tx.update(unknown)
                }
                throw CrashFinding(description: "on purpose")
            }
        } catch is CrashFinding {}
        guard store.sequence == before else {
            throw CrashFinding(description: "P3: a block that threw left an event")
        }
    }

    /// The edits of a block with at least one change, and the records after it.
    private mutating func edits() -> ([CrashEdit], [Int: CrashItem]) {
        var state = oracle.state
        var edits: [CrashEdit] = []
        for _ in 0...below(4) {
            let edit = edit(state)
            edit.apply(to: &state)
            edits.append(edit)
        }
        if state == oracle.state {
            let edit = CrashEdit.insert(item(batchNumber + 100))
            edit.apply(to: &state)
            edits.append(edit)
        }
        return (edits, state)
    }

    private func edit(_ state: [Int: CrashItem]) -> CrashEdit {
        let id = below(8)
        guard state[id] != nil else { return .insert(item(id)) }
        switch below(16) {
        case 0: return .deleteAll
        case 1...5: return .delete(id)
        default: return .update(item(id))
        }
    }

    private func item(_ id: Int) -> CrashItem {
        let count = below(5) == 0 ? below(1_500) : below(40)
        return CrashItem(
            id: id, number: batchNumber, text: String(repeating: "x", count: count))
    }
}

extension SimulatedDisk {
    fileprivate var operationsText: String {
        let last = operations.suffix(2).map { "\($0.kind.rawValue) \($0.path)" }
        return "\(operations.count) operations: \(last.joined(separator: ", "))"
    }
}

extension Schema {
    /// Created once: decoding its samples costs a tenth of a session.
    static let ofCrashItems = Result { try Schema([CrashItem.self]) }
}

extension Store {
    /// Opens a store without background maintenance, after it has sealed the segments that the
    /// previous session left unsealed.
    static func forCrashes(
        on disk: any Disk, _ sizes: SegmentSizes, clock: ManualClock, seed: UInt64
    ) throws -> Store {
        var options = Store.Options()
        options.segmentBytesMax = sizes.full
        options.sealThresholdBytes = sizes.least
        options.syncInterval = .milliseconds(3_600_000)
        options.openingTarget = .milliseconds(3_600_000)
        options.idempotencyWindow = CrashCheck.keyWindow
        options.projections = [CrashTally.self]
        let store = try Store(
            Schema.ofCrashItems.get(), options,
            Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: seed)))
        store.maintenance.stop()
        return store
    }
}

/// The sizes at which segments end, in bytes.
struct SegmentSizes {
    let full: Int
    /// On closing and after a pause.
    let least: Int
}

extension StoreError {
    /// Checks that a failed disk operation was not reported as damage.
    func expectNoDamage() throws {
        let damage: Set<Code> = [
            .logCorrupt, .chainBroken, .segmentMissing, .foreignStore, .invalidEvent,
            .logBehindCheckpoint, .unsupportedFormat,
        ]
        if damage.contains(code) { throw self }
    }
}
