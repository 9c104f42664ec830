import SkyrosDisk
import SkyrosLog
import SkyrosTesting

@testable import Skyros

/// A store whose history has two runs, and the answers that the log and the runs give.
struct HistoryImage: Sendable {
    static let shared = Result { try HistoryImage() }

    private static let ids = 0..<24

    private let store: Store
    /// Of the log, and the runs as they were written.
    private let disk: SimulatedDisk
    let names: [RunName]

    private init() throws {
        let disk = SimulatedDisk(hasCheckpoints: false)
        store = try Store(FuzzSample.schema.get(), Store.Options(), Self.environment(disk))
        store.maintenance.stop()
        for round in 0..<2 {
            try Self.write(round, to: store)
            try store.run(.indexHistory)
        }
        self.disk = disk
        names = try RunName.list(on: disk)
        try require(names.count == 2, "the history has the runs \(names)")
    }

    private static func environment(_ disk: SimulatedDisk) -> Environment {
        Environment(disk: disk, clock: ManualClock(), entropy: SeededEntropy(seed: 1))
    }

    private static func write(_ round: Int, to store: Store) throws {
        for id in ids {
            let metadata = Metadata(
                correlation: "import \(id % 5)", tags: ["round": "\(round)"])
            try store.write(by: "actor \(id % 3)", because: "round \(round)", metadata: metadata) {
                tx in
                var sample = FuzzSample.filled(id)
                if round > 0 { sample.text = "changed" }
                try tx.upsert(sample)
            }
        }
        if round == 0 { try store.write { try $0.deleteAll(FuzzSample.self) } }
        try store.write(once: "key \(round)") { tx in
            try tx.upsert(FuzzSample.filled(1))
            try tx.upsert(FuzzSample.filled(2))
        }
        try store.write { try $0.delete(FuzzSample.self, 1) }
    }

    /// The bytes of a run.
    func bytes(of name: RunName) -> [UInt8] { disk.contents[name.path.description] ?? [] }

    /// A copy of the disk with another content of a run.
    func disk(with bytes: [UInt8], of name: RunName) -> SimulatedDisk {
        let copy = disk.killed()
        copy.overwrite(name.path.description, with: bytes)
        return copy
    }

    // MARK: Questions

    /// What the log and the runs say of the past.
    struct Answers: Equatable {
        var histories: [[[UInt8]?]] = []
        var records: [[UInt8]?] = []
        var events: [[UInt64]] = []
        var counts: [Int] = []
    }

    /// Asks an index of the files on `disk`, which no other thread uses.
    ///
    /// - Throws: as the library's own calls.
    func answers(on disk: SimulatedDisk) throws -> Answers {
        let engine = store.session.engine
        let index = HistoryIndex(
            engine, of: engine.storeID, on: disk, empty: store.session.empty, mayWrite: true,
            report: { _ in })
        let reader = store.historyReader
        var answers = Answers()
        let entity = FuzzSample.entityName
        let moments: [SequenceNumber] = [12, 26, 40]
        for id in [0, 1, 2, 23] {
            let history = try reader.history(of: entity, RecordID(id), in: index)
            answers.histories.append(history.map { $0.rowAfter?.bytes })
            for moment in moments {
                let row = try reader.row(of: entity, RecordID(id), asOf: moment, in: index)
                answers.records.append(row?.bytes)
            }
        }
        for filter in Self.filters {
            let search = EventSearch(
                reader: reader, index: index, filter: filter, first: 1, last: reader.last,
                newestFirst: filter.actor != nil)
            var (cursor, found): (EventSearch.Cursor, [UInt64]) = (EventSearch.Cursor(search), [])
            while let event = try cursor.next() { found.append(event.sequence.rawValue) }
            answers.events.append(found)
        }
        for moment in moments {
            let state = try reader.part(store.snapshot, ofTableAt: 0, asOf: moment, in: index)
            answers.counts.append(state.recordCount)
            _ = try state.digest()
        }
        return answers
    }

    private static let filters = [
        EventFilter(actor: "actor 1"), EventFilter(reason: "1"), EventFilter(key: "key 1"),
        EventFilter(tags: ["round": "0"]), EventFilter(ids: [RecordID(2)]),
        EventFilter(correlation: "import 3", entity: "FuzzSample"),
    ]

    /// Merges the runs on `disk`.
    func merge(on disk: SimulatedDisk) throws {
        let cache = FrameCache()
        let runs = try names.map { try HistoryRun($0, on: disk, cache: cache) }
        guard let merger = try RunMerger(runs, on: disk) else {
            throw FuzzFinding("no runs to merge")
        }
        while try merger.step() == nil {}
    }

    /// Verifies the store on `disk`.
    ///
    /// - Throws: `FuzzFinding` if the verification finds another state.
    func verify(on disk: SimulatedDisk) throws {
        let verification = try Archive(on: Self.environment(disk)).verify()
        try require(try verification.digest == store.snapshot.digest(), "\(verification)")
    }
}
