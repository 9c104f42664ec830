import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Seat: Entity {
    var id: Int
    var holder = 0
}

private struct Course: Entity {
    var id: String
    var title = ""
}

private struct Enrol: DomainCommand {
    var seat: Int
}

/// Writes events with all kinds of metadata.
private struct Author {
    let store: Store
    var random: RandomSource

    private mutating func pick(_ names: [String?]) -> String? { names[random.below(names.count)] }

    mutating func write() throws {
        let long = String(repeating: "reason ", count: 60)
        var tags: [String: String] = [:]
        if random.below(3) == 0 { tags["course"] = "c\(random.below(3))" }
        if random.below(9) == 0 { tags["rare"] = "=" }
        let metadata = Metadata(
            correlation: pick(["r\(random.below(200))", nil]), causation: pick(["boot", nil, nil]),
            tags: tags)
        let reasons = [
            "price correction", "correct name", nil, long + "A", long + "B",
            "nom corrig\u{E9}", "nom corrige\u{301}",
        ]
        try store.write(
            by: pick(["ada", "bob", "\u{E9}", "e\u{301}", nil]), because: pick(reasons),
            metadata: metadata, intent: random.below(4) == 0 ? Enrol(seat: 1) : nil
        ) { tx in
            let id = random.below(8)
            switch random.below(30) {
            case 0: try tx.deleteAll(Seat.self)
            case 1..<5: try tx.delete(Seat.self, id)
            case 5..<20: try tx.upsert(Seat(id: id, holder: random.below(1_000)))
            case 20..<25: try tx.upsert(Course(id: "\(id)", title: random.text()))
            default:
                try tx.upsert(Seat(id: id, holder: random.below(1_000)))
                try tx.upsert(Course(id: "\(id)", title: random.text()))
            }
        }
    }
}

@Suite(.long) struct `A search for events` {
    private let disk = SimulatedDisk()

    private func open(_ options: Store.Options = Store.Options()) throws -> Store {
        let store = try Store(on: disk, entities: Seat.self, Course.self, options: options)
        store.maintenance.stop()
        return store
    }

    private var filters: [EventFilter] {
        get throws {
            [
                EventFilter(), EventFilter(actor: "ada"), EventFilter(actor: "nobody"),
                EventFilter(actor: "\u{E9}"), EventFilter(actor: "e\u{301}"),
                EventFilter(reason: "correct"), EventFilter(reason: "nom"),
                EventFilter(reason: "A"), EventFilter(reason: "zzz"),
                EventFilter(correlation: "r7"), EventFilter(causation: "boot", intent: "Enrol"),
                EventFilter(tags: ["rare": nil]), EventFilter(tags: ["course": "c1"]),
                EventFilter(tags: ["rare": "=", "course": nil]),
                EventFilter(actor: "bob", tags: ["course": "c2"], entity: "Seat"),
                EventFilter(entity: "Course"), EventFilter(entity: "Nope"),
                EventFilter(ids: [RecordID(3)]), EventFilter(ids: [RecordID("3"), RecordID(3)]),
                EventFilter(actor: "ada", entity: "Course", ids: [RecordID("3"), RecordID(3)]),
                try EventFilter(changing: Seat.self, 5), EventFilter(ids: [RecordID(99)]),
            ]
        }
    }

    /// The events that pass, found without the search.
    private func expected(
        _ filter: EventFilter, _ range: ClosedRange<SequenceNumber>, in store: Store
    ) throws -> [SequenceNumber] {
        var changing = Set<SequenceNumber>()
        for entity in filter.entity.map({ [$0] }) ?? ["Seat", "Course"] {
            for id in filter.ids {
                let history = try store.historyReader.history(of: entity, id)
                changing.formUnion(history.map(\.sequence))
            }
        }
        var others = filter
        if !filter.ids.isEmpty { (others.ids, others.entity) = ([], nil) }
        return try Array(store.events(range)).filter { event in
            others.matches(event) && (filter.ids.isEmpty || changing.contains(event.sequence))
        }.map(\.sequence)
    }

    private func check(_ store: Store, _ random: inout RandomSource) throws {
        let last = Int(store.sequence.rawValue)
        for filter in try filters {
            let first = UInt64(1 + random.below(last))
            let count = UInt64(random.below(last))
            let range = SequenceNumber(rawValue: first)...SequenceNumber(rawValue: first + count)
            let right = try expected(filter, range, in: store)
            let found = try Array(store.events(range, where: filter)).map(\.sequence)
            #expect(found == right, "\(filter)")
            let reversed = try Array(store.events(range, where: filter, newestFirst: true))
            #expect(reversed.map(\.sequence) == right.reversed(), "\(filter)")
        }
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 2, quick: 5, deep: 200)))
    func `finds what a scan finds, whatever has a run`(seed: UInt64) throws {
        var store = try open()
        var author = Author(store: store, random: RandomSource(seed: seed))
        var random = RandomSource(seed: seed + 1_000)
        for _ in 0..<8 {
            for _ in 0..<20 { try author.write() }
            switch random.below(6) {
            case 0..<3:
                _ = try store.makeRun()
                while try store.session.history?.mergeNext() ?? false {}
            case 3:
                if let name = try disk.list(.history).randomElement(using: &random) {
                    try disk.remove(DiskPath(.history, name))
                    store.session.history?.reload()
                }
            case 4:
                try store.close()
                var options = Store.Options()
                if random.below(3) == 0 { options.historyIndex = .scan }
                store = try open(options)
                author = Author(store: store, random: author.random)
            default: break
            }
            try check(store, &random)
        }
        try store.close()
        #expect(try Archive(on: Environment(disk: disk)).verify().problems == [])
    }

    @Test func `finds what a scan finds after runs were merged`() throws {
        let store = try open()
        var author = Author(store: store, random: RandomSource(seed: 7))
        var random = RandomSource(seed: 8)
        for _ in 0..<8 {
            for _ in 0..<10 { try author.write() }
            _ = try store.makeRun()
        }
        let index = try #require(store.session.history)
        while try index.mergeNext() {}
        #expect(index.current().parts.count == 1)
        for _ in 0..<4 { try check(store, &random) }
        try store.close()
        #expect(try Archive(on: Environment(disk: disk)).verify().problems == [])
    }

    @Test func `decompresses the frames of the label only, and reads the log where it matches`()
        throws
    {
        let store = try open()
        let index = try #require(store.session.history)
        for id in 0..<3_000 {
            let actor = id % 1_000 == 7 ? "eve" : "ada"
            try store.write(by: actor, metadata: Metadata(correlation: "r\(id)")) {
                try $0.upsert(Seat(id: id, holder: id))
            }
        }
        _ = try store.makeRun()
        for _ in 0..<2 {
            let found = try Array(store.events(where: EventFilter(actor: "eve")))
            #expect(found.map(\.sequence) == [8, 1_008, 2_008])
            #expect(index.cache.missCount <= 2)
        }
        #expect(try Array(store.events(where: EventFilter(correlation: "r77"))).count == 1)
        #expect(index.cache.missCount <= 4)
        #expect(try Array(store.events(where: EventFilter(correlation: "r5000"))).isEmpty)
        try store.close()
    }

    @Test func `finds the event of an idempotency key`() throws {
        let store = try open()
        for id in 0..<9 { try store.write(once: "k\(id)") { try $0.upsert(Seat(id: id)) } }
        for _ in 0..<2 {
            let found = try Array(store.events(where: EventFilter(key: "k4")))
            #expect(found.map(\.sequence) == [5])
            #expect(try Array(store.events(where: EventFilter(key: "k"))).isEmpty)
            _ = try store.makeRun()
        }
        try store.close()
    }

    @Test func `finds a part of a reason, also where more was written than memory is used for`()
        throws
    {
        let store = try Store(inMemory: Course.self)
        try store.write(because: "price correction") { try $0.insert(Course(id: "a")) }
        try store.write(because: "import") { tx in
            try tx.insert(Course(id: "b", title: String(repeating: "x", count: 33 << 20)))
        }
        let found = try Array(store.events(where: EventFilter(reason: "correct")))
        #expect(found.map(\.sequence) == [1])
    }

    @Test func `finds one of two tags whose long names begin alike`() throws {
        let store = try open()
        let names = ["1", "2"].map { String(repeating: "n", count: 250) + $0 }
        let metadata = Metadata(tags: [names[0]: "a", names[1]: "b"])
        try store.write(metadata: metadata) { try $0.insert(Seat(id: 1)) }
        _ = try store.makeRun()
        #expect(try Array(store.events(where: EventFilter(tags: [names[1]: "b"]))).count == 1)
        #expect(try Array(store.events(where: EventFilter(tags: [names[1]: "a"]))).isEmpty)
        try store.close()
        #expect(try disk.list(.quarantine).isEmpty)
        #expect(try Archive(on: Environment(disk: disk)).verify().problems == [])
    }

    @Test func `is limited by times, both included`() throws {
        let store = try open()
        for id in 0..<20 { try store.write(by: "a") { try $0.upsert(Seat(id: id)) } }
        let times = try Array(store.events()).map(\.time)
        var filter = EventFilter(actor: "a")
        (filter.since, filter.until) = (times[4], times[9])
        #expect(try Array(store.events(where: filter)).map(\.time) == Array(times[4...9]))
        filter.until = EventTime(microseconds: times[0].microseconds - 1)
        #expect(try Array(store.events(where: filter)).isEmpty)
        (filter.since, filter.until) = (
            EventTime(microseconds: .min), EventTime(microseconds: .max)
        )
        #expect(try Array(store.events(where: filter)).count == 20)
        try store.close()
    }

    @Test func `of a damaged run reads the log, and sets the run aside`() throws {
        let store = try open()
        for id in 0..<300 {
            try store.write(by: "a\(id % 7)", metadata: Metadata(correlation: "\(id)")) {
                try $0.upsert(Seat(id: id))
            }
        }
        _ = try store.makeRun()
        try store.close()
        let name = try #require(disk.list(.history).first)
        var bytes = try #require(disk.contents["history/\(name)"])
        bytes[300] ^= 1
        disk.overwrite("history/\(name)", with: bytes)
        let next = try open()
        #expect(try Array(next.events(where: EventFilter(actor: "a3"))).count == 43)
        #expect(try disk.list(.quarantine) == [name])
        try next.close()
    }
}

@Suite struct `The candidates of a search` {
    @Test(.mayHang, arguments: [false, true])
    func `are taken for each chunk of the log without a walk over the others`(
        newestFirst: Bool
    ) {
        let list = Array(1...UInt64(400_000))
        var candidates = EventCandidates.some(list[...])
        var takenCount = 0
        for sequence in newestFirst ? list.reversed() : list {
            let chunk = LogChunk(
                firstSequence: sequence, chainHashBefore: ChainHash(rawValue: 0), batches: [[0]])
            let taken = candidates.take(chunk, newestFirst: newestFirst)
            if taken.first == sequence, taken.last == sequence { takenCount += 1 }
        }
        #expect(takenCount == list.count && candidates.isEmpty)
    }

    @Test func `in a range are those from its first to its last number`() {
        let list: [UInt64] = [2, 4, 4_000, .max]
        for lower in [0, 2, 3, 5, 5_000] as [UInt64] {
            for upper in [lower, 4, 4_000, .max - 1, .max] where upper >= lower {
                let found = EventCandidates.some(list[...]).clamped(to: lower...upper)
                let right = list.filter { (lower...upper).contains($0) }
                if case .some(let slice) = found { #expect(Array(slice) == right) }
                #expect(found.first == right.first && found.last == right.last)
            }
        }
    }
}

@Suite struct `A list of postings` {
    @Test(arguments: [0, 1, 2, 2_047, 2_048, 2_049, 9_000])
    func `are read as they were written`(count: Int) throws {
        var random = RandomSource(seed: UInt64(count))
        var (list, next): ([UInt64], UInt64) = ([], UInt64.max / 2)
        for _ in 0..<count {
            next += UInt64(1 + random.below(random.below(2) == 0 ? 3 : 1 << 40))
            list.append(next)
        }
        var writer = CBORWriter()
        Postings.append(list, to: &writer)
        var found: [UInt64] = []
        try writer.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            while !reader.isAtEnd { try Postings.forEach(&reader) { found.append($0) } }
        }
        #expect(found == list)
    }

    @Test func `of several frames of a run are found by a range of events`() throws {
        let disk = SimulatedDisk()
        try disk.makeDirectoryDurably(.history)
        var random = RandomSource(seed: 3)
        var list: [UInt64] = []
        for _ in 0..<40_000 { list.append((list.last ?? 0) + UInt64(1 + random.below(1_000))) }
        let (last, label) = (list.last ?? 1, EventLabel.key(.actor, "ada"))
        let header = RunHeader(
            storeID: try #require(StoreID([UInt8](repeating: 1, count: 16))), sequences: 1...last,
            times: TimeSpan(from: 0, through: 0), happened: nil,
            chainHashBefore: ChainHash(rawValue: 1), chainHashAfter: ChainHash(rawValue: 2),
            logByteCount: 1)
        var writer = try RunWriter(header, on: disk)
        var postings = CBORWriter()
        Postings.append(list, to: &postings)
        try postings.withUnsafeBytes { try writer.append(label, $0) }
        let run = try HistoryRun(try writer.finish(), on: disk, cache: FrameCache())
        #expect(run.frameCount > 3)
        for _ in 0..<200 {
            let (a, b) = (random.below(list.count), random.below(list.count))
            let range = list[min(a, b)]...list[max(a, b)]
            let found = try run.postings(of: label, hash: label.hash, in: range)
            #expect(found == Array(list[min(a, b)...max(a, b)]))
        }
    }

    @Test(
        arguments: [
            [], [0x80], [0x00], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ] as [[UInt8]])
    func `that are damaged are refused, or empty`(distances: [UInt8]) throws {
        var writer = CBORWriter()
        writer.appendArrayHead(3)
        writer.append(UInt64(4))
        writer.append(UInt64.max - 1)
        writer.append(bytes: distances)
        var count = 0
        let bytes = writer.array
        let error = failure(as: CBORError.self) {
            try bytes.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                try Postings.forEach(&reader) { _ in count += 1 }
            }
        }
        #expect((error == nil) == distances.isEmpty)
        #expect(count == 1)
    }
}
