import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Page: Entity, Equatable {
    var id: Int
    var text = ""
    static let indexes: [Index<Page>] = [.on(\.text)]
}

/// The process or the power ends at every operation of an erasure.
@Suite struct `An erasure that is interrupted` {
    enum Way: CaseIterable {
        case destroy, nuke
    }

    private static let pages = (1...12).map { Page(id: $0, text: "page \($0)") }
    private static let foreign = [
        "photo.jpg", "events/notes.txt", "quarantine/mine.txt", "quarantine/checkpoint-1.sqlite",
    ]

    private static var options: Store.Options {
        var options = Store.Options()
        options.segmentBytesMax = 400
        return options
    }

    /// A store with sealed segments, an active one and a checkpoint.
    private func filled(_ disk: SimulatedDisk) throws -> Store {
        let store = try Store.simulated([Page.self], Self.options, Environment(disk: disk))
        for page in Self.pages { try store.write(durability: .durable) { try $0.insert(page) } }
        while try #require(store.session.engine.segments).endedSegmentCount > 1 {
            try store.run(.seal)
        }
        try store.run(.checkpoint)
        let names = disk.contents.keys
        try #require(names.contains { $0.hasSuffix(".zst") })
        try #require(names.contains("checkpoint.sqlite"))
        return store
    }

    private func erase(_ store: Store, _ way: Way) throws {
        switch way {
        case .destroy: try store.destroy()
        case .nuke: try store.nuke()
        }
    }

    private func open(_ disk: SimulatedDisk) throws -> Store {
        try Store.simulated([Page.self], Self.options, Environment(disk: disk))
    }

    /// Opens what a crash has left; returns whether it was erased.
    private func isErased(
        _ disk: SimulatedDisk, _ way: Way, hasForeign: Bool
    ) throws -> Bool {
        let wanted = hasForeign ? Self.foreign : []
        defer {
            for path in wanted { #expect(disk.contents[path] == [7], "\(path)") }
        }
        let store: Store
        do {
            store = try open(disk)
        } catch let error as StoreError
            where way == .destroy && hasForeign && error.code == .notAStore
        {
            // A store is created beside no other file. Nothing of the old one is there.
            let names = Set(disk.contents.keys).subtracting(Self.foreign)
            #expect(names == [])
            return true
        }
        let found = try store.all(Page.self)
        if !found.isEmpty {
            #expect(found == Self.pages)
            #expect(store.sequence == 12)
            #expect(try Array(store.events()).count == 12)
            #expect(!store.recovery.hasFinishedErasure)
            #expect(try Archive(on: Environment(disk: disk)).verify().ok)
            return false
        }
        #expect(store.sequence == 0)
        #expect(disk.contents.keys.filter { $0.hasSuffix(".zst") } == [])
        #expect(disk.contents["erasing"] == nil)
        try store.write(durability: .durable) { try $0.insert(Page(id: 99)) }
        #expect(try open(disk.crashed(keeping: 0)).all(Page.self).map(\.id) == [99])
        return true
    }

    private func recorded(_ way: Way, hasForeign: Bool) throws -> [SimulatedDisk.DiskSnapshot] {
        let disk = SimulatedDisk()
        let store = try filled(disk)
        if hasForeign { for path in Self.foreign { disk.overwrite(path, with: [7]) } }
        disk.record()
        try erase(store, way)
        #expect(store.sequence == 0)
        return disk.snapshots
    }

    /// The disk before each operation of an opening, which may be refused at its end.
    private func opening(_ disk: SimulatedDisk) -> [SimulatedDisk.DiskSnapshot] {
        disk.record()
        let store = try? open(disk)
        return withExtendedLifetime(store) { disk.snapshots }
    }

    @Test(.long, arguments: Way.allCases, [false, true])
    func `leaves the store, or what the next opening finishes, wherever it is killed`(
        way: Way, hasForeign: Bool
    ) throws {
        let snapshots = try recorded(way, hasForeign: hasForeign)
        var outcomes: [Bool] = []
        for snapshot in snapshots {
            let place = "before operation \(snapshot.operationCount)"
            let outcome = try isErased(snapshot.disk.killed(), way, hasForeign: hasForeign)
            outcomes.append(outcome)
            for seed: UInt64 in 0..<3 {
                let image = snapshot.disk.crashed(seed: seed)
                let erased = try isErased(image, way, hasForeign: hasForeign)
                // What is decided durably is not taken back; a power cut may come before that.
                #expect(!erased || outcome, "\(place), seed \(seed)")
            }
            // The opening that finishes it is killed too.
            guard outcome, snapshot.operationCount % 7 == 0 else { continue }
            for next in opening(snapshot.disk.killed()) {
                #expect(try isErased(next.disk.killed(), way, hasForeign: hasForeign), "\(place)")
            }
        }
        let first = try #require(outcomes.firstIndex(of: true))
        #expect(first > 0)
        let later = Array(outcomes[first...])
        #expect(!later.contains(false))
        #expect(outcomes.count - first > 10)
    }

    @Test(.long, arguments: Way.allCases)
    func `says so if an operation fails, and takes no event that could be lost`(way: Way) throws {
        let whole = SimulatedDisk()
        let untouched = try filled(whole)
        let countBefore = whole.operations.count
        try erase(untouched, way)
        let operationCount = whole.operations.count - countBefore
        var failureCount = 0
        for number in 0..<operationCount {
            let disk = SimulatedDisk()
            let store = try filled(disk)
            disk.inject(Fault(nil, after: number))
            do {
                try erase(store, way)
                // The fault was in closing what is erased.
                continue
            } catch {
                failureCount += 1
            }
            disk.heal()
            try continueAfterFailure(store, disk, "operation \(number)")
        }
        #expect(failureCount > 20)
    }

    @Test(arguments: Way.allCases)
    func `leaves the store as it was if the marker does not get its name`(way: Way) throws {
        let disk = SimulatedDisk()
        let store = try filled(disk)
        disk.inject(Fault(.rename))
        #expect(code { try erase(store, way) } == .io)
        #expect(try store.count(Page.self) == 12)
        try store.write(durability: .durable) { try $0.insert(Page(id: 99)) }
        #expect(try open(disk.crashed(keeping: 0)).count(Page.self) == 13)
        try erase(store, way)
        #expect(try store.count(Page.self) == 0)
        #expect(disk.contents["erasing"] == nil)
    }

    /// After a failed erasure: a write is kept, or is refused.
    private func continueAfterFailure(
        _ store: Store, _ disk: SimulatedDisk, _ place: String
    ) throws {
        do {
            try store.write(durability: .durable) { try $0.insert(Page(id: 99)) }
        } catch let error as StoreError {
            #expect([.erased, .closed, .durabilityLost].contains(error.code), "\(place): \(error)")
            guard error.code == .erased else { return }
            #expect(try store.count(Page.self) == 0)
            do {
                try store.nuke()
                try store.write(durability: .durable) { try $0.insert(Page(id: 99)) }
                #expect(try open(disk.crashed(keeping: 0)).all(Page.self).map(\.id) == [99])
            } catch let error as StoreError where error.code == .durabilityLost {
                // A sync has failed. Whatever the power cut left of it, the opening works.
                for seed: UInt64 in 0..<4 {
                    let found = try open(disk.crashed(seed: seed)).count(Page.self)
                    #expect([0, 12].contains(found), "\(place), seed \(seed)")
                }
                let next = try open(disk.killed())
                #expect(try next.count(Page.self) == 0)
            }
            return
        }
        let kept = try open(disk.crashed(keeping: 0))
        #expect(try kept.get(Page.self, 99) != nil, "\(place)")
        #expect([1, 13].contains(try kept.count(Page.self)), "\(place)")
    }

    @Test func `does not take another store, whose directory the marker came back to`() throws {
        let disk = SimulatedDisk()
        let store = try filled(disk)
        disk.record()
        try store.nuke()
        let marker = try #require(disk.snapshots.compactMap { $0.disk.contents["erasing"] }.last)
        #expect(!String(decoding: marker, as: UTF8.self).contains("unknown"))
        try store.write(durability: .durable) { try $0.insert(Page(id: 99)) }
        let next = disk.killed()
        next.overwrite("erasing", with: marker)
        let found = try open(next)
        #expect(try found.all(Page.self).map(\.id) == [99])
        #expect(!found.recovery.hasFinishedErasure)
        #expect(next.contents["erasing"] == nil)
    }

    @Test func `is finished by destroying it again, and hides the store from readers`() throws {
        let disk = SimulatedDisk()
        let store = try filled(disk)
        disk.record()
        try store.destroy()
        let begun = try #require(disk.snapshots.first { $0.disk.contents["erasing"] != nil })
            .disk.killed()
        #expect(code { _ = try Archive(on: Environment(disk: begun)) } == .erased)
        #expect(
            code { _ = try Backup(of: disk, onto: Environment(disk: begun)) } == .erased)
        try Store.destroy(on: begun)
        #expect(begun.contents == [:])
        #expect(code { try Store.destroy(on: begun) } == .notAStore)
    }

    @Test func `is not begun by a marker of other words, nor by half of one`() throws {
        for text in ["", "erase me", String(repeating: "x", count: 5_000)] {
            let disk = SimulatedDisk()
            try filled(disk).close()
            disk.overwrite("erasing", with: Array(text.utf8))
            let before = disk.contents
            #expect(code { _ = try open(disk) } == .unsupportedFormat)
            #expect(disk.contents == before)
            disk.erase("erasing")
            #expect(try open(disk).count(Page.self) == 12)
        }
    }
}
