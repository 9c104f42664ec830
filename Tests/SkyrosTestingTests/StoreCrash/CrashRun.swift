import SkyrosDisk
import SkyrosLog
import SkyrosTesting

@testable import Skyros

/// One to three lives of one store, each ended by a crash, all of it following from a source of
/// numbers.
///
/// A life opens the store, which crashes up to three times on the way, compares it with the
/// oracle, and then writes, seals, syncs and so on until a fault ends it. Everything that the
/// store does in the background by itself is done here in turn, so that the same numbers mean the
/// same operations of the disk in every run.
struct CrashRun {
    private static let lifeCountMax = 3
    private static let stepCountMax = 24

    private let random: any Entropy
    private let clock = ManualClock()
    private let segmentBytesMax: Int
    private let hasCheckpoint: Bool
    private var disk: SimulatedDisk
    private var batchNumber = 0
    private var oracle = CrashOracle()
    /// Whether a power cut may have left half a checkpoint, for its reader to notice.
    private var mayRebuild = false
    /// What was done, for the message of a failure; nil if nobody wants to know.
    private(set) var story: [String]?

    init(_ random: any Entropy, hasCheckpoint: Bool, isTold: Bool) {
        self.random = random
        story = isTold ? [] : nil
        self.hasCheckpoint = hasCheckpoint
        disk = SimulatedDisk(hasCheckpoints: hasCheckpoint)
        segmentBytesMax = 300 + Int(random.next() % 1_500)
    }

    /// - Throws: `CrashFinding`, or what the store throws although it must not.
    mutating func run() throws {
        for life in 1...1 + below(Self.lifeCountMax) {
            note("life \(life)")
            var store: Store? = try openThroughCrashes()
            if let store { try live(store) }
            try crash()
            store = nil
        }
        try check(open())
    }

    /// What goes wrong in the run, and what was done until then if it is told; nil if nothing does.
    mutating func finding() -> String? {
        do {
            try run()
            return nil
        } catch {
            return (["\(error)"] + (story ?? [])).joined(separator: "\n")
        }
    }

    private mutating func note(_ line: @autoclosure () -> String) {
        story?.append(line())
    }

    private func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
}

// MARK: Opening and crashing

extension CrashRun {
    private mutating func openThroughCrashes() throws -> Store {
        for _ in 0..<3 where below(3) == 0 {
            let after = below(40)
            note("an opening that fails from its operation \(after) on")
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

    /// Compares a store that was just opened with what was written and acknowledged, and takes
    /// what it holds for the history from now on.
    private mutating func check(_ store: Store) throws {
        let (kept, written) = (oracle.keptCount, oracle.batches.count)
        note("  opened at \(store.sequence), of \(kept) to \(written)")
        let check = CrashCheck(
            store: store, disk: disk, oracle: oracle, mayRebuild: mayRebuild)
        oracle.noteOpened(try check.run())
    }

    private func open() throws -> Store {
        try Store.forCrashes(
            on: disk, segmentBytesMax: segmentBytesMax, clock: clock, seed: random.next())
    }

    /// Kills the process or cuts the power, and goes on with what is left.
    private mutating func crash() throws {
        let isKill = below(4) == 0
        let image = random.next()
        let before = disk
        disk = isKill ? before.killed() : before.crashed(seed: image)
        mayRebuild = mayRebuild || before.hasLostJournal
        note("\(isKill ? "kill" : "power cut") after \(before.operationsText)")
        if !isKill { oracle.notePowerCut() }
        // The old store is closed in vain when it goes.
        before.inject(Fault(nil, isLasting: true))
    }
}

// MARK: Living

extension CrashRun {
    /// Works until something fails, or long enough.
    private mutating func live(_ store: Store) throws {
        injectFault()
        do {
            for _ in 0..<below(Self.stepCountMax) { try step(store) }
        } catch let error as StoreError {
            note("  failed: \(error.code)")
            try error.expectNoDamage()
        }
    }

    /// Mostly nothing works any more from some operation on, which is a crash at that moment;
    /// else one operation fails and the disk goes on.
    private mutating func injectFault() {
        // Checkpoints take most of the operations, where there are any.
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
        switch below(16) {
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
        default:
            try write(store)
        }
    }

    private mutating func write(_ store: Store) throws {
        batchNumber += 1
        let (edits, state) = edits()
        let durability = [.deferred, .buffered, .durable][below(3)] as Durability
        let marker = "batch \(batchNumber)"
        note("  \(marker), \(durability): \(edits)")
        oracle.attempt(CrashOracle.Batch(marker: marker, state: state))
        try store.write(because: marker, durability: durability) { tx in
            for edit in edits { try edit.apply(to: &tx) }
        }
        switch durability {
        case .deferred: break
        case .buffered: oracle.noteKept(oracle.batches.count)
        case .durable: oracle.noteDurable(oracle.batches.count)
        }
    }

    /// A block that goes on after an edit that fails, and then fails itself: none of it happened.
    private mutating func failToWrite(_ store: Store) throws {
        note("  a block that fails")
        let before = store.sequence
        let edits = (0...below(3)).map { _ in edit(oracle.state) }
        let (known, unknown) = (item(0), item(100))
        do {
            try store.write(because: "nobody") { tx in
                for edit in edits {
                    try edit.apply(to: &tx)
                    // There is one of this id now, or none.
                    try? tx.insert(known)
                    try? tx.update(unknown)
                }
                throw CrashFinding(description: "on purpose")
            }
        } catch is CrashFinding {}
        guard store.sequence == before else {
            throw CrashFinding(description: "P3: a block that failed left an event")
        }
    }

    /// Steps of a block that changes something, and the records after it.
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
    /// Made once: it decodes samples, which costs a tenth of a life.
    static let ofCrashItems = Result { try Schema([CrashItem.self]) }
}

extension Store {
    /// A store that does nothing by itself in the background but seal what an earlier life left to
    /// seal, which is done when this returns.
    static func forCrashes(
        on disk: any Disk, segmentBytesMax: Int, clock: ManualClock, seed: UInt64
    ) throws -> Store {
        var options = Store.Options()
        options.segmentBytesMax = segmentBytesMax
        options.syncInterval = .milliseconds(3_600_000)
        options.openingTarget = .milliseconds(3_600_000)
        let store = try Store(
            Schema.ofCrashItems.get(), options,
            Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: seed)))
        store.maintenance.stop()
        return store
    }
}

extension StoreError {
    /// A disk that fails is not taken for damage.
    func expectNoDamage() throws {
        let damage: Set<Code> = [
            .logCorrupt, .chainBroken, .segmentMissing, .foreignStore, .invalidEvent,
            .logBehindCheckpoint, .unsupportedFormat,
        ]
        if damage.contains(code) { throw self }
    }
}
