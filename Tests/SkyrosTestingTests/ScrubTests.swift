import Dispatch
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Item: Entity, Equatable {
    var id: Int
    var text = ""
}

/// How an open store reads its sealed segments again. A run of the step is a minute of use.
@Suite struct `A scrub` {
    private let disk: SimulatedDisk
    private let clock = ManualClock()
    private let reported = Locked<[StoreError]>([])
    private let callbacks = DispatchQueue(label: "callbacks")
    private static let day: Int64 = 86_400 * 1_000_000

    init() throws {
        disk = SimulatedDisk()
        let store = try open()
        for id in 1...40 {
            try store.write { try $0.insert(Item(id: id, text: "text \(id)")) }
            try store.run(.seal)
        }
        try store.close()
    }

    private func open(on disk: (any Disk)? = nil) throws -> Store {
        var options = Store.Options()
        options.segmentBytesMax = 500
        options.callbackQueue = callbacks
        options.onError = { [reported] error in
            if let error = error as? StoreError { reported.withLock { $0.append(error) } }
        }
        return try Store.simulated(
            [Item.self], options,
            Environment(
                disk: disk ?? self.disk, clock: clock, entropy: SeededEntropy(seed: 1)))
    }

    /// What was reported since the last call.
    private var errors: [StoreError] {
        callbacks.sync {}
        return reported.withLock { errors in
            defer { errors = [] }
            return errors
        }
    }

    private var names: [String] {
        disk.contents.keys.filter { $0.hasSuffix(".zst") }.sorted()
    }

    private func report() throws -> ScrubReport? {
        try Archive(on: Environment(disk: disk)).info().scrub
    }

    /// Changes a byte of the events in a segment; a second call restores it.
    private func flip(_ name: String) throws {
        var bytes = try #require(disk.contents[name])
        bytes[150] ^= 1
        disk.overwrite(name, with: bytes)
    }

    @Test func `of a small store is done in a minute, and kept`() throws {
        #expect(try report() == nil)
        let store = try open()
        try store.run(.scrub)
        let found = try #require(try report())
        #expect(found.position == nil && found.damages.isEmpty)
        #expect(found.finishedAt?.microseconds == clock.nowMicroseconds())
        #expect(errors.isEmpty)
        #expect(disk.contents["scrub.tmp"] == nil)
        try store.close()
        #expect(try open().recovery.wasClean)
    }

    @Test func `of a store without sealed segments writes nothing`() throws {
        let empty = SimulatedDisk()
        let store = try open(on: empty)
        try store.write { try $0.insert(Item(id: 1)) }
        try store.run(.scrub)
        #expect(empty.contents["scrub.json"] == nil)
    }

    @Test func `begins anew six days after the last one began`() throws {
        let store = try open()
        try store.run(.scrub)
        let first = try report()
        clock.advance(byMicroseconds: 6 * Self.day - 1)
        try store.run(.scrub)
        #expect(try report() == first)
        clock.advance(byMicroseconds: 1)
        try store.run(.scrub)
        let second = try report()
        #expect(second?.finishedAt?.microseconds == clock.nowMicroseconds())
        // A clock that was set back has no say in it.
        clock.advance(byMicroseconds: -30 * Self.day)
        try store.run(.scrub)
        #expect(try report()?.finishedAt?.microseconds == clock.nowMicroseconds())
    }

    @Test func `reports rot once in a process, keeps it, and forgets what was restored`() throws {
        let name = names[names.count / 2]
        try flip(name)
        var store = try open()
        try store.run(.scrub)
        let error = try #require(errors.first)
        #expect(error.code == .logCorrupt && error.place.file == name)
        #expect(try #require(error.place.offset) > 0)
        #expect(error.message.contains("Restore the file from a backup"))
        let damage = try #require(try report()?.damages.first)
        #expect(damage.file == name && damage.offset == error.place.offset)
        #expect(damage.sequences == error.place.sequences && damage.code == .logCorrupt)
        #expect(damage.foundAt.microseconds == clock.nowMicroseconds())

        clock.advance(byMicroseconds: 6 * Self.day)
        try store.run(.scrub)
        #expect(errors.isEmpty)
        #expect(try report()?.damages == [damage])
        try store.close()
        clock.advance(byMicroseconds: 6 * Self.day)
        store = try open()
        try store.run(.scrub)
        #expect(errors.map(\.code) == [.logCorrupt])
        #expect(try report()?.damages == [damage])

        try flip(name)
        clock.advance(byMicroseconds: 6 * Self.day)
        try store.run(.scrub)
        #expect(try report()?.damages.isEmpty == true)
        #expect(errors.isEmpty)
    }

    @Test func `finds rot in the last frame, which opening does not read`() throws {
        let last = try #require(names.last)
        try flip(last)
        // The checkpoint spares reading the damaged frame, so the store opens.
        let store = try open()
        #expect(store.recovery.wasClean && store.recovery.checkpoint == .loaded(40))
        try store.run(.scrub)
        #expect(try report()?.damages.map(\.file) == [last])
        #expect(errors.map(\.code) == [.logCorrupt])
    }

    @Test func `calls a failing device by its name, and continues`() throws {
        try flip(names[0])
        let store = try open()
        try store.run(.scrub)
        _ = errors
        clock.advance(byMicroseconds: 6 * Self.day)
        disk.inject(Fault(.read, isLasting: true))
        try store.run(.scrub)
        disk.heal()
        let found = errors
        #expect(!found.isEmpty && found.allSatisfy { $0.code == .io })
        // What was known before is neither forgotten nor more.
        #expect(try report()?.damages.map(\.file) == [names[0]])
    }

    @Test func `finds nothing in protected files or a suspended store, and tries again`() throws {
        try flip(names[0])
        let store = try open()
        disk.inject(Fault(.read, reason: .system(System.accessDenied), isLasting: true))
        try store.run(.scrub)
        disk.heal()
        #expect(try report() == nil)
        store.suspend()
        try store.run(.scrub)
        #expect(try report() == nil)
        #expect(errors.isEmpty)
        try store.resume()
        try store.run(.scrub)
        #expect(try report()?.damages.count == 1)
        #expect(errors.map(\.code) == [.logCorrupt])
    }

    @Test(.mayHang) func `holds no lock of the log while it reads`() throws {
        let gated = GatedDisk(disk)
        gated.allowSyncs(.max)
        let store = try open(on: gated)
        let isWritten = Locked(false)
        gated.beforeNextRead {
            // On the thread of the scrub: a lock that it held would be taken twice.
            let result = Result {
                try store.write { try $0.insert(Item(id: 99)) }
                try store.write(durability: .durable) { try $0.insert(Item(id: 100)) }
                return try store.snapshot(asOf: .sequence(2)).count(Item.self)
            }
            isWritten.withLock { $0 = (try? result.get()) == 2 }
        }
        try store.run(.scrub)
        #expect(isWritten.withLock { $0 })
        #expect(try report()?.finishedAt != nil)
    }

    @Test func `begins the round anew without its file, or with another`() throws {
        for text in ["", "{}", "[1]", "rubbish", #"{"findings":[],"end":1,"position":99999}"#] {
            disk.overwrite("scrub.json", with: Array(text.utf8))
            let store = try open()
            try store.run(.scrub)
            #expect(try report()?.finishedAt?.microseconds == clock.nowMicroseconds(), "\(text)")
            try store.close()
            disk.erase("scrub.json")
        }
    }

    @Test func `that cannot keep its position reports it once, and harms no write`() throws {
        let store = try open()
        for kind in [SimulatedDisk.Kind.create, .write, .syncFile, .rename] {
            disk.inject(Fault(kind, reason: .noSpace, isLasting: true))
            clock.advance(byMicroseconds: 7 * Self.day)
            try store.run(.scrub)
            disk.heal()
        }
        #expect(errors.count == 1)
        try store.write(durability: .durable) { try $0.insert(Item(id: 99)) }
        clock.advance(byMicroseconds: 7 * Self.day)
        try store.run(.scrub)
        #expect(try report()?.finishedAt != nil)
    }

    @Test func `proves that there was a log`() throws {
        let store = try open()
        try store.run(.scrub)
        try store.close()
        for name in disk.contents.keys where name.hasPrefix("events/") { disk.erase(name) }
        disk.erase("checkpoint.sqlite")
        #expect(throws: StoreError(.segmentMissing, "")) { try open() }
    }

    @Test func `reads a part of a larger store in a minute, and continues in the next process`()
        throws
    {
        let disk = SimulatedDisk(hasCheckpoints: false)
        var random = RandomSource(seed: 3)
        var options = Store.Options()
        options.segmentBytesMax = 1 << 18
        func open() throws -> Store {
            try Store.simulated(
                [Item.self], options,
                Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: 1)))
        }
        var store = try open()
        while try #require(store.resources.log.segments?.statistics).fileBytes < 5 << 20 {
            // Text that does not compress to less than 3 MiB in all.
            let text = String(
                (0..<60_000).map { _ in Character(UnicodeScalar(UInt8(33 + random.next() % 90))) })
            try store.write { try $0.insert(Item(id: Int(store.sequence.rawValue), text: text)) }
            try store.run(.seal)
        }
        let extent = try #require(store.resources.log.segments?.sealedExtent)
        #expect(extent.byteCount > 3 << 20)
        var positions: [UInt64?] = []
        for minute in 1...10 where positions.last != .some(nil) {
            if minute == 2 {
                try store.close()
                store = try open()
            }
            try store.run(.scrub)
            positions.append(ScrubState(on: disk)?.position)
        }
        let minutes = (extent.byteCount + Scrubber.minuteBytesMin - 1) / Scrubber.minuteBytesMin
        #expect(positions.count <= minutes && positions.count > minutes / 2)
        #expect(positions.dropLast().allSatisfy { $0 ?? 0 > 1 })
        let ascending = positions.compactMap(\.self)
        #expect(ascending == ascending.sorted() && Set(ascending).count == ascending.count)
    }

    @Test func `covers stores of any size in less than a week of use`() {
        for byteCount in [0, 1, 5 << 20, 1 << 30, 100 << 30, 10 << 40] {
            let minute = Scrubber.minuteBytes(of: byteCount)
            #expect(minute >= 1 << 20)
            #expect(minute * 7 * 24 * 60 >= byteCount)
            // It is paced: not in much less, unless it is small.
            #expect(minute == 1 << 20 || minute * 5 * 24 * 60 <= byteCount)
        }
    }
}
