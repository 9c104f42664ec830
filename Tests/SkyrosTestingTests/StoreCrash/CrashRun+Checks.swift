import SkyrosDisk
import SkyrosTesting

@testable import Skyros

/// What a recovered store does not hold although it must, or holds although nobody wrote it.
struct CrashFinding: Error, CustomStringConvertible {
    let description: String
}

extension CrashRun {
    /// Compares a store that was just opened with what was written and acknowledged, and takes
    /// what it holds for the history from now on.
    mutating func check(_ store: Store) throws {
        let last = Int(store.sequence.rawValue)
        note("  opened at \(last), of \(oracle.keptCount) to \(oracle.batches.count)")
        guard last >= oracle.keptCount else {
            throw CrashFinding(
                description: "P1, P2: \(oracle.keptCount) batches had to be kept, \(last) are")
        }
        guard last <= oracle.batches.count else {
            throw CrashFinding(
                description: "P3: \(oracle.batches.count) were written, there are \(last)")
        }
        try checkEvents(store, last)
        try checkState(store, oracle.state(after: last))
        try checkFold(store)
        oracle.noteOpened(last)
    }

    /// The log holds the batches in their order, without a gap.
    private func checkEvents(_ store: Store, _ last: Int) throws {
        let expected = oracle.batches.prefix(last).map(\.marker)
        var found: [String] = []
        var sequences: [UInt64] = []
        try store.forEachEvent { event in
            found.append(event.metadata.reason ?? "")
            sequences.append(event.sequence.rawValue)
            return true
        }
        guard found == expected, sequences == (0..<last).map({ UInt64($0 + 1) }) else {
            throw CrashFinding(
                description: "P3: the log holds \(found) at \(sequences), not \(expected)")
        }
    }

    /// The view holds the records that the batches lead to, by its rows and by its indexes.
    private func checkState(_ store: Store, _ expected: [Int: CrashItem]) throws {
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
    private func checkFold(_ store: Store) throws {
        let digest = try store.snapshot.digest()
        let folded = try store.snapshot(asOf: .sequence(store.sequence)).digest()
        let archive = try Archive(on: Surroundings(disk: disk))
        let verification = archive.verify()
        guard folded == digest, verification.ok, verification.digest == digest else {
            throw CrashFinding(description: "P7: view, log and checkpoint: \(verification)")
        }
        if case .rebuilt(let why) = store.recovery.checkpoint {
            throw CrashFinding(description: "P7: the checkpoint was set aside: \(why)")
        }
    }
}
