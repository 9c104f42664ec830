import SkyrosDisk
import SkyrosLog
import SkyrosTesting

@testable import Skyros

/// Plays a script on a disk that may fail, and records an oracle.
///
/// After an error the script continues, as in an app that shows the error to its user.
final class SweepRun {
    let script: SweepScript
    let disk: SimulatedDisk
    private(set) var oracle = CrashOracle()
    private(set) var timeline = SweepTimeline()
    private(set) var errorCount = 0
    private(set) var isCheckpointDamaged = false
    private let clock = ManualClock()
    private var store: Store?
    /// Stores of killed processes.
    private var abandoned: [Store] = []
    /// The first operation after the store was opened; nil while it is closed.
    private var sessionStart: Int?
    private var batchNumber = 0

    init(_ script: SweepScript) {
        self.script = script
        disk = SimulatedDisk(hasCheckpoints: script.hasCheckpoint)
    }

    /// - Throws: `CrashFinding`, or an unexpected error of the store.
    func play() throws {
        try tolerating { try open() }
        for step in script.steps {
            clock.advance(byMicroseconds: 1_000)
            try tolerating { try perform(step) }
        }
        try checkFailStop()
    }

    /// Closes the store; errors of the disk are allowed.
    func close() throws {
        try tolerating { try closeStore() }
    }

    /// Releases all stores, after making sure that they cannot change the disk.
    func end() {
        disk.inject(Fault(nil, isLasting: true))
        store = nil
        abandoned = []
    }

    /// Runs `body`, counts an error of the disk, and fails if it was reported as damage.
    private func tolerating(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StoreError {
            try error.expectNoDamage()
            errorCount += 1
        }
        mark()
    }

    private func mark() {
        timeline.note(
            oracle, operationCount: disk.operations.count, mayRebuild: isCheckpointDamaged)
    }

    private func perform(_ step: SweepScript.Step) throws {
        switch step {
        case .write(let durability, let edits): try write(durability, edits)
        case .writeOnce(let durability, let edits): try write(durability, edits, isOnce: true)
        case .seal: try currentStore().run(.seal)
        case .endSegment: try currentStore().run(.endSegment)
        case .merge: try currentStore().run(.merge)
        case .markIdle: try currentStore().run(.mark)
        case .checkpoint:
            try currentStore().maintenance.checkpoint()
            oracle.noteDurable(oracle.batches.count)
        case .scrub: try currentStore().run(.scrub)
        case .indexHistory:
            try currentStore().run(.indexHistory)
            // The log is synced first.
            oracle.noteDurable(oracle.batches.count)
        case .prune:
            try currentStore().run(.prune)
            // Only what is durable is pruned.
            oracle.noteDurable(Int(try currentStore().firstSequence.rawValue) - 1)
        case .reopen:
            try tolerating { try closeStore() }
            try open()
        case .restart:
            try abandon()
            try open()
        case .tearTail:
            try abandon()
            tearTail()
            try open()
        case .damageCheckpoint:
            try tolerating { try closeStore() }
            damageCheckpoint()
            mark()
            try open()
        }
    }
}

// MARK: Sessions

extension SweepRun {
    private func currentStore() throws -> Store {
        if let store { return store }
        try open()
        guard let store else { preconditionFailure("open() sets the store") }
        return store
    }

    private func open() throws {
        let store = try Store.forCrashes(
            on: disk, script.sizes, clock: clock, seed: 1)
        self.store = store
        sessionStart = disk.operations.count
        let items = try store.all(CrashItem.self, sortedBy: \.id)
        let state = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
        let count = Int(store.sequence.rawValue)
        let history = try oracle.history(ofStoreWith: count) { $0.state == state }
        guard history.last?.state ?? [:] == state else {
            throw CrashFinding(description: "P3: the view holds \(items.map(\.number))")
        }
        oracle.noteOpened(history)
        mark()
    }

    private func closeStore() throws {
        guard let store else { return }
        self.store = nil
        let result = Result { try store.close() }
        try checkFailStop()
        sessionStart = nil
        try result.get()
        oracle.noteDurable(oracle.batches.count)
    }

    /// Simulates a kill of the process: its lock is free, and its memory is gone.
    private func abandon() throws {
        guard let store else { return }
        try checkFailStop()
        store.resources.lock.release()
        abandoned.append(store)
        self.store = nil
        sessionStart = nil
    }

    /// P10: checks that no sync of the log follows a failed one in the same session.
    private func checkFailStop() throws {
        guard let first = failedSync else { return }
        let operations = disk.operations
        let later = operations[(first + 1)...].first(where: isSyncOfLog)
        if let later {
            throw CrashFinding(
                description: "P10: a sync of \(later.path) follows a failed sync of "
                    + operations[first].path)
        }
    }

    /// The first failed sync of the log in the present session.
    private var failedSync: Int? {
        guard let sessionStart, let last = disk.failures.last, last >= sessionStart else {
            return nil
        }
        let operations = disk.operations
        return disk.failures.first { index in
            index >= sessionStart && isSyncOfLog(operations[index])
        }
    }

    /// Syncs by SQLite do not count: it writes again what it needs before it syncs again, and a
    /// checkpoint may still be written of events that were durable before the failure.
    private func isSyncOfLog(_ operation: SimulatedDisk.Operation) -> Bool {
        [.syncFile, .syncDirectory].contains(operation.kind)
            && operation.path.hasPrefix(Directory.events.rawValue)
    }

    private func tearTail() {
        let contents = disk.contents
        guard let path = contents.keys.filter({ $0.hasSuffix(".open") }).max(),
            let bytes = contents[path]
        else { return }
        let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
        let aligned = (end + 7) / 8 * 8
        let padding = [UInt8](repeating: 0, count: max(0, aligned - bytes.count))
        // The magic byte and kind of a block, then other bytes.
        let torn = [0xB5, 1, 0, 0] + (1...90).map { UInt8($0) }
        disk.overwrite(path, with: (bytes + padding).prefix(aligned) + torn)
    }
}

// MARK: Writing

extension SweepRun {
    private func write(
        _ durability: Durability, _ edits: [SweepScript.Edit], isOnce: Bool = false
    ) throws {
        let store = try currentStore()
        batchNumber += 1
        let (edits, state) = resolved(edits)
        let marker = "batch \(batchNumber)"
        oracle.attempt(CrashOracle.Batch(marker: marker, state: state, isOnce: isOnce))
        mark()
        do {
            try store.write(once: isOnce ? marker : nil, because: marker, durability) { tx in
                for edit in edits { try edit.apply(to: &tx) }
            }
            oracle.noteTime(store.snapshot.time)
        } catch {
            let isAccepted = Int(store.sequence.rawValue) == oracle.batches.count
            if isAccepted { oracle.noteAccepted() } else { oracle.noteRefused() }
            throw error
        }
        guard failedSync == nil else {
            throw CrashFinding(description: "P10: \(marker) was accepted after a failed sync")
        }
        oracle.noteAccepted()
        oracle.note(durability, of: oracle.batches.count)
    }

    /// Resolves the edits against the present records, with at least one change; returns them with
    /// the records after them.
    private func resolved(
        _ edits: [SweepScript.Edit]
    ) -> ([CrashEdit], [Int: CrashItem]) {
        var state = oracle.state
        var steps: [CrashEdit] = []
        func add(_ step: CrashEdit) {
            step.apply(to: &state)
            steps.append(step)
        }
        for edit in edits {
            switch edit {
            case .put(let id, let count):
                let item = CrashItem(
                    id: id, number: batchNumber, text: String(repeating: "x", count: count))
                add(state[id] == nil ? .insert(item) : .update(item))
            case .delete(let id): if state[id] != nil { add(.delete(id)) }
            case .clear: add(.deleteAll)
            }
        }
        if state == oracle.state {
            add(.insert(CrashItem(id: 100 + batchNumber, number: batchNumber, text: "")))
        }
        return (steps, state)
    }
}

// MARK: Checkpoints

extension SweepRun {
    /// Damages the schema at the end of the first page, so that the checkpoint is set aside.
    private func damageCheckpoint() {
        let name = "checkpoint.sqlite"
        guard var bytes = disk.contents[name], bytes.count > 4_096 else { return }
        isCheckpointDamaged = true
        for index in 3_896..<4_096 { bytes[index] ^= 0x55 }
        disk.overwrite(name, with: bytes)
    }
}
