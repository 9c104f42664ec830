import SkyrosDisk
import SkyrosLog
import SkyrosTesting

@testable import Skyros

/// A script, played on a disk that may fail, beside an oracle.
///
/// What fails is noted and the script goes on, as an app would that shows the error to its user
/// and is used further.
final class SweepRun {
    let script: SweepScript
    let disk: SimulatedDisk
    private(set) var oracle = CrashOracle()
    private(set) var timeline = SweepTimeline()
    private(set) var errorCount = 0
    private(set) var isCheckpointSpoiled = false
    private let clock = ManualClock()
    private var store: Store?
    /// Stores of processes that died.
    private var abandoned: [Store] = []
    /// The first operation of the store's present life, if it lives.
    private var lifeStart: Int?
    private var batchNumber = 0

    init(_ script: SweepScript) {
        self.script = script
        disk = SimulatedDisk(hasCheckpoints: script.hasCheckpoint)
    }

    /// - Throws: `CrashFinding`, or what the store throws although it must not.
    func play() throws {
        try tolerating { try open() }
        for step in script.steps {
            clock.advance(byMicroseconds: 1_000)
            try tolerating { try perform(step) }
        }
        try checkFailStop()
    }

    /// Closes the store in order, as far as that goes.
    func close() throws {
        try tolerating { try closeStore() }
    }

    /// Lets go of all stores; they can do nothing to the disk any more.
    func end() {
        disk.inject(Fault(nil, isLasting: true))
        store = nil
        abandoned = []
    }

    /// Errors of the disk are what they are, and no damage.
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
            oracle, operationCount: disk.operations.count, mayRebuild: isCheckpointSpoiled)
    }

    private func perform(_ step: SweepScript.Step) throws {
        switch step {
        case .write(let durability, let edits): try write(durability, edits)
        case .seal: try liveStore().run(.seal)
        case .markIdle: try liveStore().run(.mark)
        case .checkpoint:
            try liveStore().maintenance.checkpoint()
            oracle.noteDurable(oracle.batches.count)
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
        case .spoilCheckpoint:
            try tolerating { try closeStore() }
            spoilCheckpoint()
            mark()
            try open()
        }
    }
}

// MARK: Lives

extension SweepRun {
    private func liveStore() throws -> Store {
        if let store { return store }
        try open()
        guard let store else { preconditionFailure("a store that was opened is there") }
        return store
    }

    private func open() throws {
        let store = try Store.forCrashes(
            on: disk, segmentBytesMax: script.segmentBytesMax, clock: clock, seed: 1)
        self.store = store
        lifeStart = disk.operations.count
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
        lifeStart = nil
        try result.get()
        oracle.noteDurable(oracle.batches.count)
    }

    /// The process dies: its lock is free, and what it held in memory is gone.
    private func abandon() throws {
        guard let store else { return }
        try checkFailStop()
        store.resources.lock.release()
        abandoned.append(store)
        self.store = nil
        lifeStart = nil
    }

    /// P10: after a sync of the log that failed, no other is tried in the same life.
    private func checkFailStop() throws {
        guard let first = failedSync else { return }
        let operations = disk.operations
        let later = operations[(first + 1)...].first(where: isSyncOfLog)
        if let later {
            throw CrashFinding(
                description: "P10: a sync of \(later.path) follows the failed one of "
                    + operations[first].path)
        }
    }

    /// The first failed sync of the log in the store's present life.
    private var failedSync: Int? {
        guard let lifeStart, let last = disk.failures.last, last >= lifeStart else {
            return nil
        }
        let operations = disk.operations
        return disk.failures.first { index in
            index >= lifeStart && isSyncOfLog(operations[index])
        }
    }

    /// SQLite takes care of its own: it writes again what a rollback needs before it syncs again.
    /// Of what was durable before the failure a checkpoint may still be written.
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
        // The beginning of a block: its mark and kind, and then something else.
        let torn = [0xB5, 1, 0, 0] + (1...90).map { UInt8($0) }
        disk.overwrite(path, with: (bytes + padding).prefix(aligned) + torn)
    }
}

// MARK: Writing

extension SweepRun {
    private func write(_ durability: Durability, _ edits: [SweepScript.Edit]) throws {
        let store = try liveStore()
        batchNumber += 1
        let (edits, state) = resolved(edits)
        let marker = "batch \(batchNumber)"
        oracle.attempt(CrashOracle.Batch(marker: marker, state: state))
        mark()
        do {
            try store.write(because: marker, durability: durability) { tx in
                for edit in edits { try edit.apply(to: &tx) }
            }
        } catch {
            let isTaken = Int(store.sequence.rawValue) == oracle.batches.count
            if isTaken { oracle.noteTaken() } else { oracle.noteRefused() }
            throw error
        }
        guard failedSync == nil else {
            throw CrashFinding(description: "P10: \(marker) was taken after a failed sync")
        }
        oracle.noteTaken()
        switch durability {
        case .deferred: break
        case .buffered: oracle.noteKept(oracle.batches.count)
        case .durable: oracle.noteDurable(oracle.batches.count)
        }
    }

    /// What the edits mean for the records that are there, and the records after them. They change
    /// something.
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
    /// Damages the schema, at the end of the first page, so that the checkpoint is set aside.
    private func spoilCheckpoint() {
        let name = "checkpoint.sqlite"
        guard var bytes = disk.contents[name], bytes.count > 4_096 else { return }
        isCheckpointSpoiled = true
        for index in 3_896..<4_096 { bytes[index] ^= 0x55 }
        disk.overwrite(name, with: bytes)
    }
}
