import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// An entity with a field of every kind.
private struct Everything: Entity {
    var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var flag = true
    var huge = Int128.max
    var ratio = 0.1
    var text = "Grüße, \u{1F30D}"
    var nothing: String?
    var date = Date(timeIntervalSinceReferenceDate: 123_456.789)
    var data = Data([0, 255, 10])
    var url = URL(string: "https://example.org/a?b=c")
    var price = Decimal(string: "12345.6789")
    var list = [3, 1, 2]
    var map = ["x": 1, "long key": 2, "$odd": 3]
}

private struct Rename: DomainCommand {
    var id: Int
    var text: String
}

/// The store that the library wrote. With SKYROS_WRITE_GOLDEN=1 it is written anew, which every
/// change of the format needs.
@Suite struct `A golden store of the library` {
    private let directory = `A golden store`.stores.appending(path: "library")
    private let clock = ManualClock()

    /// A store with every feature of the format, the same in every run. It was closed once, and
    /// ends with segments that are not sealed.
    private func written() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let environment = Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: 5))
        let store = try opened(environment)
        try write(1...24, to: store)
        while disk.contents.keys.count(where: { $0.hasSuffix(".zst") }) < 2 {
            try store.run(.seal)
        }
        try store.run(.checkpoint)
        try store.write(by: "bob") { tx in
            try tx.update(Everything.self, Everything().id) { $0.nothing = "something" }
        }
        try store.run(.mark)
        try store.close()
        let reopened = try opened(environment)
        try write(25...34, to: reopened)
        try reopened.run(.mark)
        return disk.killed()
    }

    private func opened(_ environment: Environment) throws -> Store {
        var options = Store.Options()
        options.segmentBytesMax = 1_200
        return try Store.simulated([Everything.self, Note.self], options, environment)
    }

    private func write(_ ids: ClosedRange<Int>, to store: Store) throws {
        for id in ids {
            clock.advance(byMicroseconds: 1_000_000)
            let metadata = Metadata(
                correlation: "c\(id)", causation: "e\(id)",
                occurredAt: id % 2 == 0 ? Date(timeIntervalSince1970: Double(-id)) : nil,
                tags: ["n": "\(id)", "kind": "a"])
            try store.write(
                by: "alice", because: "step \(id)", metadata: metadata,
                intent: Rename(id: id, text: "t")
            ) { tx in
                try tx.insert(Note(id: id, text: "note \(id)"))
                if id == 2 { try tx.insert(Everything()) }
                if try tx.exists(Note.self, id - 1) {
                    try tx.update(Note.self, id - 1) { $0.text += "!" }
                }
                if id == 12 { try tx.deleteAll(Note.self) }
                if id == 12 || id == 11 { try tx.upsert(Note(id: 11, text: "again")) }
                if id % 5 == 0 { try tx.delete(Note.self, id - 2) }
            }
            if id % 10 == 0 {
                let command = Rename(id: id, text: "once")
                try store.write(once: "request \(id)", by: "alice", intent: command) { _ in }
            }
        }
    }

    @Test func `has the history that the library writes today (F58)`() throws {
        let disk = try written()
        if ProcessInfo.processInfo.environment["SKYROS_WRITE_GOLDEN"] == "1" { try write(disk) }
        let fresh = try Archive(on: Environment(disk: disk))
        let golden = try Archive(at: directory)
        // Equal chain hashes: the same bytes in every event.
        let remedy: Comment = "SKYROS_WRITE_GOLDEN=1 writes the store anew"
        #expect(golden.log.head == fresh.log.head, remedy)
        #expect(try golden.snapshot().digest() == fresh.snapshot().digest(), remedy)
        for (path, bytes) in disk.contents where path.hasSuffix(".open") {
            #expect(try Data(contentsOf: directory.appending(path: path)) == Data(bytes), remedy)
        }
        #expect(golden.verify().problems == [])
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        for name in ["FORMAT.txt", "checkpoint.sqlite"] { #expect(names.contains(name)) }
        for kind in [".zst", ".open"] {
            #expect(names.count { $0.hasSuffix(kind) } > 1, "\(kind)")
        }
    }

    @Test func `opens with its types, from its checkpoint and without (F58)`() throws {
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(at: directory, to: copy.store)
        let digest = try Archive(at: directory).snapshot().digest()
        for hasCheckpoint in [true, false] {
            let file = copy.store.appending(path: "checkpoint.sqlite")
            if !hasCheckpoint { try FileManager.default.removeItem(at: file) }
            let store = try Store(at: copy.store, entities: Everything.self, Note.self)
            #expect(try store.snapshot.digest() == digest)
            #expect((store.recovery.checkpoint == .loaded(27)) == hasCheckpoint)
            #expect(try store.get(Everything.self, Everything().id)?.nothing == "something")
            try store.close()
        }
        let verified = try Program("skyros").run("verify", copy.store.path)
        #expect(verified.output == "ok: 38 events, digest \(digest)\n")
    }

    private func write(_ disk: SimulatedDisk) throws {
        try? FileManager.default.removeItem(at: directory)
        for (path, bytes) in disk.contents where path != "lock" {
            let file = directory.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
    }
}
