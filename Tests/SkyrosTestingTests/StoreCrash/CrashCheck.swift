import SkyrosDisk
import SkyrosTesting

@testable import Skyros

/// What a recovered store does not hold although it must, or holds although nobody wrote it.
struct CrashFinding: Error, CustomStringConvertible {
    let description: String
}

/// Compares a store that was just opened with what was written and acknowledged.
struct CrashCheck {
    let store: Store
    let disk: any Disk
    let oracle: CrashOracle
    /// Whether something has spoiled the checkpoint, so that it may be set aside.
    var mayRebuild = false

    /// Returns the batches that the store holds.
    ///
    /// - Throws: `CrashFinding`, or what the store throws although it must not.
    func run() throws -> [CrashOracle.Batch] {
        let count = Int(store.sequence.rawValue)
        let marker = try store.event(store.sequence)?.metadata.reason
        let history = try oracle.history(ofStoreWith: count) { $0.marker == marker }
        try checkEvents(history)
        try checkState(history.last?.state ?? [:])
        try checkFold()
        return history
    }

    /// The log holds the batches in their order, without a gap.
    private func checkEvents(_ history: [CrashOracle.Batch]) throws {
        let expected = history.map(\.marker)
        var found: [String] = []
        var sequences: [UInt64] = []
        try store.events().forEach { event in
            found.append(event.metadata.reason ?? "")
            sequences.append(event.sequence.rawValue)
        }
        guard found == expected, sequences == history.indices.map({ UInt64($0 + 1) }) else {
            throw CrashFinding(
                description: "P3: the log holds \(found) at \(sequences), not \(expected)")
        }
    }

    /// The view holds the records that the batches lead to, by its rows and by its indexes.
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

    /// The view, the fold of the log from its beginning, and the checkpoint are one.
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
