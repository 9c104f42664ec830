import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Every bit of a run of the history; in every test run a sample.
@Suite(.long) struct `A run with one wrong bit` {
    /// What is asked: the history of each record, its state at a moment, and who wrote what.
    private struct Answers: Equatable {
        var histories: [[[UInt8]?]] = []
        var states: [[UInt8]?] = []
        var events: [UInt64] = []
    }

    private let disk = SimulatedDisk()
    private let store: Store
    private let name: RunName
    private let run: [UInt8]

    private static let ids = 0..<24
    /// Those that are asked about: without the run, each answer reads the log.
    private static let asked = [0, 3, 7, 12, 23]

    init() throws {
        store = try Store.forCrashes(
            on: disk, SegmentSizes(full: 64 << 10, least: 64 << 10), clock: ManualClock(), seed: 5)
        store.maintenance.stop()
        for round in 0..<4 {
            for id in Self.ids {
                let text = String(repeating: "abcdef", count: (id &* 131 + round) % 20)
                let item = CrashItem(id: id, number: round, text: text)
                try store.write(by: "actor \(id % 5)", because: "put \(round)") { tx in
                    if round == 0 { try tx.insert(item) } else { try tx.update(item) }
                }
            }
            guard round == 1 else { continue }
            try store.write { try $0.deleteAll(CrashItem.self) }
            try store.write { tx in
                for id in Self.ids { try tx.insert(CrashItem(id: id, number: 9, text: "")) }
            }
        }
        let index = try #require(store.session.history)
        let isMade = try Self.makeRun(of: store, in: index)
        #expect(isMade)
        name = try #require(RunName.list(on: disk).first)
        run = try #require(disk.contents[name.path.description])
    }

    private static func makeRun(of store: Store, in index: HistoryIndex) throws -> Bool {
        let newest = store.snapshot
        return try index.makeNext(
            through: newest.sequence, from: { newest }, isComplete: true, syncing: {})
    }

    private func index(on disk: SimulatedDisk) -> HistoryIndex {
        HistoryIndex(
            store.session.engine, of: store.session.engine.storeID, on: disk,
            empty: store.session.empty, mayWrite: true, report: { _ in })
    }

    private func answers(of index: HistoryIndex) throws -> Answers {
        let reader = HistoryReader(log: store.session.engine, empty: store.session.empty)
        var answers = Answers()
        let entity = CrashItem.entityName
        for id in Self.asked {
            let history = try reader.history(of: entity, RecordID(id), in: index)
            answers.histories.append(history.map { $0.rowAfter?.bytes })
            for moment: SequenceNumber in [30, 49, 70] {
                let row = try reader.row(of: entity, RecordID(id), asOf: moment, in: index)
                answers.states.append(row?.bytes)
            }
        }
        var cursor = EventSearch.Cursor(
            EventSearch(
                reader: reader, index: index, filter: EventFilter(actor: "actor 3"), first: 1,
                last: reader.last, newestFirst: false))
        while let event = try cursor.next() { answers.events.append(event.sequence.rawValue) }
        return answers
    }

    @Test func `never leads to a wrong answer: it is used, or made again (F77)`() throws {
        let right = try answers(of: index(on: disk.killed()))
        #expect(right.histories.allSatisfy { $0.count == 6 })
        #expect(right.events.count == 20)
        let interval = Extent.pick(brief: 997, quick: 97, deep: 1)
        let wrong = sweepBits("run bits", byteCount: run.count, every: interval) { bit in
            try outcome(flipping: bit, right)
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
    }

    /// Asks an index with another run, makes what is missing, and asks again; returns what became
    /// of the run.
    private func outcome(flipping bit: Int, _ right: Answers) throws -> String {
        let disk = disk.killed()
        var bytes = run
        bytes[bit / 8] ^= 1 << (bit % 8)
        disk.overwrite(name.path.description, with: bytes)
        let index = index(on: disk)
        guard try answers(of: index) == right else {
            throw CrashFinding(description: "a wrong answer")
        }
        let isMade = try Self.makeRun(of: store, in: index)
        guard index.current().parts.map(\.sequences) == [name.sequences] else {
            throw CrashFinding(description: "the run is not made again")
        }
        guard try answers(of: index) == right else {
            throw CrashFinding(description: "a wrong answer of the run that was made again")
        }
        return isMade ? "made again" : "used"
    }
}
