import Foundation
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

/// A log that ends before its checkpoint.
@Suite struct `A log that has lost what its checkpoint holds` {
    private let disk = SimulatedDisk()
    private let whole: SimulatedDisk

    init() throws {
        var older: [String: [UInt8]] = [:]
        for round in 1...2 {
            let store = try Store(on: disk, entities: Item.self)
            for id in 1...10 {
                try store.write { try $0.upsert(Item(id: id, text: "round \(round)")) }
            }
            try store.close()
            if round == 1 { older = disk.contents.filter { $0.key.hasPrefix("events/") } }
        }
        whole = disk.killed()
        for (name, bytes) in older { disk.overwrite(name, with: bytes) }
    }

    private func archive(_ extent: Archive.Extent = .whole) throws -> Archive {
        try Archive(on: Environment(disk: disk), reading: extent)
    }

    @Test func `is not complete, for any reader (F29)`() throws {
        for extent in [Archive.Extent.whole, .upToDamage] {
            let archive = try archive(extent)
            #expect(archive.lostEvents == 11...20)
            #expect(try archive.info().lostEvents == 11...20)
            #expect(
                archive.verify().problems == ["the checkpoint holds event 20, the log ends at 10"])
        }
        let report = try archive(.upToDamage).salvage(onto: Environment(disk: SimulatedDisk()))
        #expect(report.sequence == 10 && report.damages.isEmpty)
        #expect(report.lostEvents == 11...20 && !report.isComplete)
        let intact = try Archive(on: Environment(disk: whole), reading: .upToDamage)
        #expect(intact.lostEvents == nil && intact.verify().ok)
        #expect(try intact.salvage(onto: Environment(disk: SimulatedDisk())).isComplete)
    }

    /// A rebuild would make a checkpoint of what the log still holds.
    @Test func `keeps its checkpoint through a rebuild, which is refused`() throws {
        let before = disk.contents["checkpoint.sqlite"]
        let error = failure(as: StoreError.self) { _ = try archive().rebuildCheckpoint() }
        #expect(error?.code == .logBehindCheckpoint)
        #expect(disk.contents["checkpoint.sqlite"] == before)
        #expect(disk.contents["checkpoint.tmp"] == nil)
        #expect(try archive().lostEvents == 11...20)
    }

    @Test func `lost all events from the first one that is missing on (F29)`() throws {
        let sealed = SimulatedDisk()
        var options = Store.Options()
        options.segmentBytesMax = 1_000
        let store = try Store.simulated([Item.self], options, Environment(disk: sealed))
        for id in 1...30 { try store.write { try $0.insert(Item(id: id)) } }
        while sealed.contents.keys.contains(where: { $0.hasSuffix(".zst") }) == false {
            try store.run(.seal)
        }
        try store.close()
        let names = sealed.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        for name in names where !name.hasSuffix(".zst") { sealed.erase(name) }
        let archive = try Archive(on: Environment(disk: sealed), reading: .upToDamage)
        let last = archive.sequence
        #expect(last > 0 && archive.lostEvents == last.next...30)
        let report = try archive.salvage(onto: Environment(disk: SimulatedDisk()))
        #expect(report.sequence == last && report.lostEvents == last.next...30)
    }

    @Test func `is not one that was appended to after it was opened`() throws {
        let store = try Store(on: whole, entities: Item.self)
        let archive = try Archive(on: Environment(disk: whole))
        let scanned = try Archive(on: Environment(disk: whole), reading: .upToDamage)
        try store.write { try $0.insert(Item(id: 99)) }
        try store.run(.checkpoint)
        #expect(archive.sequence == 20 && archive.lostEvents == nil)
        #expect(archive.verify().ok)
        #expect(scanned.sequence == 20 && scanned.lostEvents == nil)
        let report = try scanned.salvage(onto: Environment(disk: SimulatedDisk()))
        #expect(report.sequence == 20 && report.isComplete)
    }

    @Test func `has its records saved from the checkpoint, as many events as needed`() throws {
        let digest = try Archive(on: Environment(disk: whole)).snapshot().digest()
        let chainHash = try Archive(on: Environment(disk: whole)).log.head.chainHash
        let before = disk.contents
        var options = LogOptions()
        options.batchBytesMax = 400
        let copy = SimulatedDisk()
        let report = try Archive.salvageCheckpoint(
            on: disk, onto: Environment(disk: copy), options: options)
        #expect(report.adoptedSequence == 20 && !report.isComplete)
        #expect(report.digest == digest && report.sequence > 1)
        #expect(disk.contents == before)
        let store = try Store(on: copy.crashed(seed: 1), entities: Item.self)
        #expect(try store.all(Item.self).count { $0.text == "round 2" } == 10)
        #expect(try store.snapshot.digest() == digest)
        let saved = try Archive(on: Environment(disk: copy))
        #expect(saved.log.storeID != (try archive().log.storeID))
        try saved.replay { event, _ in
            #expect(event.event.additions.names == ["+adopted"])
            let adopted = try #require(try event.event.additions.value["+adopted"])
            #expect(adopted["sequence"]?.integer == 20)
            #expect(adopted["chain"] == .integer(Int128(chainHash.rawValue)))
            #expect(adopted["store"] == .bytes(Data(try archive().log.storeID.bytes)))
            return true
        }
    }

    @Test func `needs no log to have its records saved`() throws {
        for name in disk.contents.keys where name.hasPrefix("events/") {
            disk.overwrite(name, with: [1, 2, 3])
        }
        let copy = SimulatedDisk()
        let report = try Archive.salvageCheckpoint(on: disk, onto: Environment(disk: copy))
        #expect(report.sequence == 1)
        #expect(try Archive(on: Environment(disk: copy)).snapshot().count("Item") == 10)
    }

    @Test func `is not saved from a checkpoint that is damaged, missing or newer`() throws {
        func code() -> StoreError.Code? {
            let copy = SimulatedDisk()
            let error = failure(as: StoreError.self) {
                _ = try Archive.salvageCheckpoint(on: disk, onto: Environment(disk: copy))
            }
            #expect(copy.contents.isEmpty)
            return error?.code
        }
        let name = "checkpoint.sqlite"
        let bytes = try #require(disk.contents[name])
        var changed = bytes
        let text = Array("round 2".utf8)
        let place = try #require(changed.indices.first { changed[$0...].starts(with: text) })
        changed[place] ^= 1
        disk.overwrite(name, with: changed)
        #expect(code() == .checkpointFailed)
        changed = bytes
        changed[63] = 9
        disk.overwrite(name, with: changed)
        #expect(code() == .unsupportedFormat)
        disk.erase(name)
        #expect(code() == .notAStore)
        disk.overwrite(name, with: bytes)
        disk.overwrite("events/00000000000000000001.floor.age", with: [1])
        #expect(code() == .unsupportedFormat)
    }
}
