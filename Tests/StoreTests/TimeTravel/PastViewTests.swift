import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Card: Entity, Equatable {
    var id: Int
    var column: Int
    var rank: Int
    static let indexes: [Index<Card>] = [.on(\.column)]
}

@Suite struct `A state that moves through the past` {
    private let disk = SimulatedDisk()

    /// Random changes of forty cards; now and then all are deleted.
    private func store(events count: Int, seed: UInt64, clearing: Bool = true) throws -> Store {
        let store = try Store(on: disk, entities: Card.self, Note.self)
        var random = RandomSource(seed: seed)
        for number in 0..<count {
            try store.write(by: "ada") { tx in
                for _ in 0...Int.random(in: 0..<3, using: &random) {
                    let id = Int.random(in: 0..<40, using: &random)
                    switch Int.random(in: 0..<20, using: &random) {
                    case 0 where clearing && number % 5 == 0: try tx.deleteAll(Card.self)
                    case 0..<5: _ = try tx.delete(Card.self, id)
                    default:
                        let column = Int.random(in: 0..<4, using: &random)
                        try tx.upsert(Card(id: id, column: column, rank: number))
                    }
                }
                try tx.upsert(Note(id: number % 7, text: "\(number)"))
            }
        }
        return store
    }

    private func past(of store: Store, stepsMax: Int = 1_024) -> PastView {
        PastView(
            store.historyReader, stepsMax: stepsMax, spacing: 32, newest: { store.snapshot })
    }

    @Test(arguments: [1, 2, 3] as [UInt64], [4, 1_024])
    func `is that of a fold, wherever it comes from`(seed: UInt64, stepsMax: Int) throws {
        let store = try store(events: 400, seed: seed)
        let reader = HistoryReader(log: store.session.engine, empty: store.session.empty)
        let digests = try (0...store.sequence.rawValue).map { number in
            try reader.snapshot(asOf: .sequence(SequenceNumber(rawValue: number))).digest()
        }
        let past = past(of: store, stepsMax: stepsMax)
        var random = RandomSource(seed: seed)
        var target = store.sequence
        for round in 0..<300 {
            let distance = round % 10 == 0 ? 400 : 8
            let step = Int.random(in: -distance...distance, using: &random)
            target = min(target.advanced(by: step), store.sequence)
            try past.move(to: target)
            let state = past.snapshot
            #expect(state.sequence == target)
            #expect(try state.digest() == digests[Int(target.rawValue)], "event \(target)")
            let folded = try reader.snapshot(asOf: .sequence(target))
            #expect(state.chainHash == folded.chainHash && state.time == folded.time)
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `keeps live results what a query gives then`(seed: UInt64) throws {
        let store = try store(events: 300, seed: seed)
        let past = past(of: store)
        let requests = [
            FetchRequest<Card>(where: \.column == 2, sortedBy: [.ascending(\.rank)]),
            FetchRequest<Card>(sortedBy: [.descending(\.rank)], limit: 5),
            FetchRequest<Card>(where: \.rank > 100, sortedBy: [.ascending(\.id)], offset: 2),
        ]
        var pages = requests.map { LivePage($0, on: .all, past.hub) }
        var shown = try pages.indices.map { try pages[$0].advance(to: past.hub.view.current) ?? [] }
        var random = RandomSource(seed: seed)
        var target = store.sequence
        for _ in 0..<300 {
            let step = Int.random(in: -6...5, using: &random)
            target = min(max(target.advanced(by: step), .zero), store.sequence)
            try past.move(to: target)
            for index in pages.indices {
                let values = try pages[index].advance(to: past.hub.view.current)
                shown[index] = values ?? shown[index]
                #expect(try shown[index] == past.snapshot.fetch(requests[index]), "\(target)")
            }
        }
        // Most steps change the results, and do not run the queries.
        #expect(pages[0].runCount < 150)
    }

    @Test func `takes a step without running the queries`() throws {
        let store = try store(events: 300, seed: 6, clearing: false)
        let past = past(of: store)
        var page = LivePage(
            FetchRequest<Card>(where: \.column == 2, sortedBy: [.ascending(\.rank)]), on: .all,
            past.hub)
        _ = try page.advance(to: past.hub.view.current)
        for target in (100..<300).reversed() + Array(101...300) {
            try past.move(to: SequenceNumber(rawValue: UInt64(target)))
            _ = try page.advance(to: past.hub.view.current)
        }
        #expect(page.runCount == 1)
    }

    @Test func `stays where it is if there is no such moment`() throws {
        let store = try store(events: 20, seed: 7)
        let past = past(of: store)
        try past.move(to: 5)
        #expect(throws: StoreError(.noSuchEvent, "")) { try past.move(to: 21) }
        #expect(past.snapshot.sequence == 5)
        try store.write { try $0.upsert(Note(id: 1, text: "later")) }
        try past.move(to: 21)
        #expect(try past.snapshot.get(Note.self, 1)?.text == "later")
    }

    @Test func `knows all kinds of changes of one move`() throws {
        let store = try Store(on: disk, entities: Card.self)
        try store.write { try $0.insert(Card(id: 1, column: 1, rank: 1)) }
        try store.write { try $0.upsert(Card(id: 1, column: 1, rank: 2)) }
        let past = past(of: store)
        var page = LivePage(FetchRequest<Card>(), on: .deletes, past.hub)
        #expect(try page.advance(to: past.hub.view.current)?.count == 1)
        try past.move(to: 0)
        #expect(try page.advance(to: past.hub.view.current)?.count == 0)
    }
}
