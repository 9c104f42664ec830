import SkyrosDisk
import SkyrosLog
import SkyrosTesting

@testable import Skyros

/// A broken promise: a recovered store lost a batch, or holds one that was not written.
struct CrashFinding: Error, CustomStringConvertible {
    let description: String
}

/// Compares a store that was just opened with the oracle.
struct CrashCheck {
    let store: Store
    let disk: any Disk
    let oracle: CrashOracle
    /// Whether the checkpoint may be damaged, so that it may be set aside.
    var mayRebuild = false

    /// Returns the batches that the store holds.
    ///
    /// - Throws: `CrashFinding`, or an unexpected error of the store.
    func run() throws -> [CrashOracle.Batch] {
        let count = Int(store.sequence.rawValue)
        let isKept = store.sequence >= store.firstSequence
        let marker = isKept ? try store.event(store.sequence)?.metadata.reason : nil
        let history = try oracle.history(ofStoreWith: count) { $0.marker == marker }
        try checkEvents(history)
        try checkState(history.last?.state ?? [:])
        try checkFloor(history)
        try checkFold()
        try checkProjection()
        try checkHistory()
        try checkKeys(history)
        return history
    }

    /// Checks that the log holds the batches in order and without a gap, from its floor on.
    private func checkEvents(_ history: [CrashOracle.Batch]) throws {
        let prunedCount = Int(store.firstSequence.rawValue) - 1
        let expected = history.dropFirst(prunedCount).map(\.marker)
        var found: [String] = []
        var sequences: [UInt64] = []
        try store.events().forEach { event in
            found.append(event.metadata.reason ?? "")
            sequences.append(event.sequence.rawValue)
        }
        guard found == expected, sequences == expected.indices.map({ UInt64(prunedCount + $0 + 1) })
        else {
            throw CrashFinding(
                description: "P3: the log holds \(found) at \(sequences), not \(expected)")
        }
    }

    /// Checks that the floor has the records of then, and that nothing below it is answered.
    private func checkFloor(_ history: [CrashOracle.Batch]) throws {
        guard let floor = try store.floor else { return }
        let last = floor.sequence
        let expected = history[Int(last.rawValue) - 1].state
        let items = try store.snapshot(asOf: .sequence(last)).all(CrashItem.self, sortedBy: \.id)
        guard items == expected.values.sorted(by: { $0.id < $1.id }) else {
            throw CrashFinding(description: "the floor at \(last) holds \(items.map(\.number))")
        }
        do {
            _ = try store.snapshot(asOf: .sequence(last.advanced(by: -1)))
            throw CrashFinding(description: "there is a state below the floor at \(last)")
        } catch let error as StoreError where error.code == .belowFloor {}
        let names = try disk.list(.events)
        guard names.compactMap({ SegmentName($0) }).allSatisfy({ $0.firstSequence > last.rawValue })
        else { throw CrashFinding(description: "files are left below the floor: \(names)") }
    }

    /// Checks that the view holds the expected records, and that its indexes find them.
    private func checkState(_ expected: [Int: CrashItem]) throws {
        let items = try store.all(CrashItem.self, sortedBy: \.id)
        guard items == expected.values.sorted(by: { $0.id < $1.id }) else {
            throw CrashFinding(description: "P3: the view holds \(items.map(\.number))")
        }
        for text in Set(expected.values.map(\.text)) {
            let found = try store.all(CrashItem.self, where: \.text == text).map(\.id)
            let wanted = expected.values.filter { $0.text == text }.map(\.id)
            guard found.sorted() == wanted.sorted() else {
                throw CrashFinding(description: "P7: the index finds \(found), not \(wanted)")
            }
        }
    }

    /// Checks that the projection has got each event once.
    private func checkProjection() throws {
        let state = store.snapshot
        let tally = try state.projection(CrashTally.self)
        let items = try state.all(CrashItem.self)
        let numbers = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.number) })
        guard tally.numbers == numbers, tally.sequence == state.sequence else {
            throw CrashFinding(
                description: "the projection is at event \(tally.sequence) and has "
                    + "\(tally.numbers), the state at \(state.sequence) has \(numbers)")
        }
    }

    /// Checks that the index of the history says what the log does.
    private func checkHistory() throws {
        for id in 0..<10 {
            let found = try store.history(of: CrashItem.self, id)
            let scanned = try store.historyReader.history(of: CrashItem.entityName, RecordID(id))
            guard found == scanned else {
                throw CrashFinding(
                    description: "the index of the history has \(found.map(\.sequence)) of record "
                        + "\(id), the log \(scanned.map(\.sequence))")
            }
        }
    }

    /// Checks that the view, the fold of the whole log and the checkpoint are the same state.
    private func checkFold() throws {
        let digest = try store.snapshot.digest()
        let folded = try store.snapshot(asOf: .sequence(store.sequence)).digest()
        let archive = try Archive(on: Environment(disk: disk))
        let verification = archive.verify()
        guard folded == digest, verification.ok, verification.digest == digest else {
            throw CrashFinding(description: "P7: view, log and checkpoint: \(verification)")
        }
        if case .rebuilt(let why) = store.recovery.checkpoint, !mayRebuild {
            throw CrashFinding(description: "P7: the checkpoint was set aside: \(why)")
        }
    }
}
