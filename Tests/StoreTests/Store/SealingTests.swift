import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// A store of texts of about 300 bytes that compress well.
private struct Notes {
    let disk: HookedDisk<SimulatedDisk>
    var options = Store.Options()
    let clock = ManualClock()

    init(_ disk: SimulatedDisk = SimulatedDisk()) {
        self.disk = HookedDisk(disk)
        options.syncInterval = .seconds(3_600)
    }

    func open() throws -> Store {
        try Store(
            Schema([Note.self]), options,
            Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: 5)))
    }

    /// Segments are sealed from 300 bytes on, and merged once they hold 2,400 bytes together.
    mutating func makeSmall() {
        options.sealThresholdBytes = 300
        options.segmentBytesMax = 64 << 10
    }

    func names(_ suffix: String) -> [String] {
        disk.disk.contents.keys.filter { $0.hasSuffix(suffix) }.sorted()
    }

    var openBytes: Int {
        disk.disk.contents.filter { $0.key.hasSuffix(".open") }.reduce(0) { $0 + $1.value.count }
    }
}

extension Store {
    /// Writes one event for each number, of about 400 bytes.
    fileprivate func write(_ numbers: Range<Int>, _ durability: Durability = .buffered) throws {
        for number in numbers {
            try write(because: "text \(number)", durability: durability) {
                try $0.upsert(
                    Note(id: number % 50, text: String(repeating: "text \(number) ", count: 30)))
            }
        }
    }
}

@Suite(.long) struct `A store that is closed` {
    private var notes = Notes()

    @Test func `is compressed but for the last 64 KiB (2.8)`() throws {
        let store = try notes.open()
        try store.write(0..<400)
        try store.close()
        #expect(notes.names(".zst").count == 1 && notes.names(".open").count == 1)
        #expect(notes.openBytes < 500)
        let info = try Archive(on: notes.disk.disk).info()
        #expect(info.segmentCount == 2 && info.sealedSegmentCount == 1)
        #expect(info.rawBytes > 100_000 && info.logBytes < info.rawBytes / 5)
        let again = try notes.open()
        #expect(again.recovery.wasClean && again.recovery.checkpoint == .loaded(400))
        #expect(try Array(again.events()).count == 400)
        try again.write(400..<410)
        try again.close()
        #expect(notes.names(".zst").count == 1 && notes.names(".open").count == 1)
        #expect(try Archive(on: notes.disk.disk).verify().ok)
    }

    @Test func `is continued in one file while it holds no more than that`() throws {
        var sessions = 0
        while notes.names(".zst").isEmpty, sessions < 100 {
            #expect(notes.names(".open").count <= 1)
            let store = try notes.open()
            try store.write(sessions * 5..<sessions * 5 + 5)
            try store.close()
            sessions += 1
        }
        // Five events have less than 2.5 KiB.
        #expect((26...50).contains(sessions))
        #expect(notes.openBytes < 500)
    }

    @Test func `has few files, however often it was opened`() throws {
        var notes = notes
        notes.makeSmall()
        let disk = notes.disk.disk
        for session in 0..<Extent.pick(brief: 40, quick: 200, deep: 800) {
            let store = try notes.open()
            let first = session * 3
            try store.write(first..<first + 1 + session % 3)
            try store.close()
            #expect(notes.openBytes < 1_200)
            #expect(notes.names(".zst").count <= 2 * session / 80 + 23)
        }
        let archive = try Archive(on: disk)
        let state = try notes.open()
        #expect(try archive.snapshot().digest() == state.snapshot.digest())
        try state.close()
    }

    /// What cannot be compressed now is compressed by the next process.
    @Test func `reports that it could not be compressed, and is whole (F17)`() throws {
        var notes = notes
        let errors = Monitor<[StoreError.Code]>([])
        notes.options.onError = { error in
            errors.change { $0.append((error as? StoreError)?.code ?? .closed) }
        }
        let store = try notes.open()
        try store.write(0..<400)
        let disk = notes.disk.disk
        notes.disk.beforeEach { operation, path in
            guard operation == .rename, path.hasSuffix(".zst") else { return }
            disk.inject(Fault(.rename, reason: .noSpace))
        }
        try store.close()
        notes.disk.beforeEach(nil)
        #expect(errors.wait { $0.isEmpty ? nil : $0 } == [.diskFull])
        #expect(notes.names(".zst").isEmpty && notes.names(".tmp").isEmpty)
        #expect(try notes.open().recovery.wasClean)
        let next = try Notes(disk.killed()).open()
        #expect(try Array(next.events()).count == 400)
        try next.close()
    }

    @Test(arguments: [DiskError.Operation.syncFile, .syncDirectory])
    func `throws if a sync of its last segments fails, and loses nothing (F13)`(
        operation: DiskError.Operation
    ) throws {
        let store = try notes.open()
        try store.write(0..<400)
        try store.maintenance.checkpoint()
        let disk = notes.disk.disk
        notes.disk.beforeEach { own, path in
            guard own == operation, path.hasPrefix("events"), !path.hasSuffix(".open") else {
                return
            }
            disk.inject(Fault(own == .syncFile ? .syncFile : .syncDirectory))
        }
        #expect(throws: StoreError(.durabilityLost, "")) { try store.close() }
        for seed in 0..<UInt64(10) {
            let next = try Notes(disk.crashed(seed: seed)).open()
            #expect(try Array(next.events()).count == 400)
            try next.close()
        }
    }

    @Test func `and suspended leaves the files of the next process alone`() throws {
        var notes = notes
        notes.makeSmall()
        let store = try notes.open()
        try store.write(0..<20, .durable)
        store.suspend()
        let before = notes.disk.disk.contents
        #expect(throws: StoreError(.suspended, "")) { try store.run(.endSegment) }
        try store.close()
        let isUnchanged = notes.disk.disk.contents == before
        #expect(isUnchanged)
    }

    /// The merges of a store whose segments were made with other options take several sessions.
    @Test func `merges only a few segments each time`() throws {
        var notes = notes
        notes.options.segmentBytesMax = 900
        let store = try notes.open()
        try store.write(0..<300)
        try store.close()
        let before = notes.names(".zst").count
        notes.makeSmall()
        // So that each merge takes few of them.
        notes.options.segmentBytesMax = 4_800
        let mergeCount = Locked(0)
        notes.disk.beforeEach { operation, path in
            if operation == .rename, path.hasSuffix(".zst") { mergeCount.withLock { $0 += 1 } }
        }
        var last = 0
        for session in 1...20 {
            try notes.open().close()
            let count = mergeCount.withLock { $0 }
            // One of them seals what the first session has left.
            #expect(count - last <= (session == 1 ? 9 : 8))
            if count == last { break }
            last = count
            #expect(session < 20)
        }
        #expect(last > 8)
        #expect(notes.names(".zst").count < before / 2)
        #expect(try Array(notes.open().events()).count == 300)
    }
}

@Suite(.mayHang) struct `A store that pauses` {
    private var notes = Notes()

    /// The last operation of sealing removes the open file.
    @Test func `seals what it has written, if that is enough (2.8)`() throws {
        var notes = notes
        notes.options.syncInterval = .zero
        notes.options.idleInterval = .zero
        let removed = Monitor<[String]>([])
        notes.disk.beforeEach { operation, path in
            if operation == .remove, path.hasSuffix(".open") { removed.change { $0.append(path) } }
        }
        let store = try notes.open()
        try store.write(0..<10)
        try store.write { tx in
            for id in 1_000..<1_400 {
                try tx.insert(Note(id: id, text: String(repeating: "\(id) ", count: 80)))
            }
        }
        #expect(removed.wait { $0.first } == "events/00000000000000000001.open")
        // Nothing of this is enough for a further segment.
        try store.write(0..<10, .durable)
        try store.close()
        #expect(notes.names(".zst").count == 1 && removed.withLock(\.count) == 1)
    }

    @Test func `notices each pause once`() throws {
        let log = try FileLog.make(
            for: StoreID(from: SeededEntropy(seed: 1)), on: SimulatedDisk(), LogOptions(),
            entropy: SeededEntropy(seed: 2), framing: { $0.count })
        let pauses = Monitor(0)
        let syncer = LogSyncer(
            log, on: SerialQueue(), intervalMilliseconds: 0, idleMilliseconds: 0,
            onIdle: { pauses.change { $0 += 1 } }, timer: nil, report: { _ in })
        for number in 1...20 {
            try [UInt8(7)].withUnsafeBytes {
                _ = try log.append($0, as: UInt64(number), timeBefore: 0, deferring: false)
            }
            syncer.noteAppended()
            pauses.wait { $0 >= number ? () : nil }
        }
        syncer.stop()
        #expect(pauses.withLock { $0 } == 20)
    }

    @Test func `ends no segment that a write has just continued, or that others may lose`() throws {
        var notes = notes
        notes.makeSmall()
        let store = try notes.open()
        try store.write(0..<1, .durable)
        try store.write(1..<3)
        // Not durable yet.
        try store.run(.endSegment)
        try store.run(.seal)
        #expect(notes.names(".zst").isEmpty)
        try store.write(3..<4, .durable)
        store.maintenance.noteIdle()
        store.maintenance.stop()
        #expect(notes.names(".zst").count == 1)
        try store.close()
    }
}

@Suite(.mayHang) struct `Merging in the background` {
    /// Many small segments that are due to be merged, and a store that has not merged them yet.
    private func notes() throws -> Notes {
        var notes = Notes()
        notes.options.segmentBytesMax = 900
        let store = try notes.open()
        try store.write(0..<120)
        try store.close()
        notes.makeSmall()
        return notes
    }

    /// Each merge meets a writer: it holds no lock that a write needs, and the checkpoint that has
    /// become due comes before the next merge.
    @Test func `lets writes go on, and a due checkpoint come first (F51)`() throws {
        var notes = try notes()
        notes.options.openingTarget = .zero
        let store = try notes.open()
        let checkpoints = Locked<[UInt64]>([])
        notes.disk.beforeEach { operation, path in
            guard operation == .rename, path.hasSuffix(".zst") else { return }
            let sequence = store.resources.checkpointer?.sequence?.rawValue ?? 0
            let first = checkpoints.withLock { checkpoints in
                checkpoints.append(sequence)
                return checkpoints.count * 10
            }
            do {
                try store.write(first..<first + 3)
            } catch {
                Issue.record(error)
            }
        }
        try store.write(0..<1)
        // Waits for the run that the write has woken.
        store.maintenance.stop()
        notes.disk.beforeEach(nil)
        let found = checkpoints.withLock { $0 }
        #expect(found.count > 2)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 }, "\(found)")
        try store.close()
        #expect(try Archive(on: notes.disk.disk).verify().ok)
    }

    @Test func `leaves an archive, a history and streams as they were`() async throws {
        let notes = try notes()
        let archive = try Archive(on: Environment(disk: notes.disk))
        let store = try notes.open()
        let before = notes.names(".zst")
        var (events, own) = (archive.events().makeIterator(), store.events().makeIterator())
        var stream = store.changes(after: 0).makeAsyncIterator()
        for sequence in 1...120 as ClosedRange<UInt64> {
            // Each event may need another file.
            if sequence.isMultiple(of: 10) { try store.run(.merge) }
            #expect(try events.next()?.sequence.rawValue == sequence)
            #expect(try own.next()?.sequence.rawValue == sequence)
            #expect(try await stream.next()?.sequence.rawValue == sequence)
        }
        #expect(notes.names(".zst").count < before.count / 2)
        #expect(try archive.history(of: "Note", RecordID(7)).count == 3)
        #expect(try store.history(of: Note.self, 7).count == 3)
        #expect(
            try archive.snapshot(asOf: .sequence(77)).digest()
                == store.snapshot(asOf: .sequence(77)).digest())
        try store.close()
        #expect(try archive.snapshot().digest() == store.snapshot.digest())
        #expect(try store.history(of: Note.self, 8).count == 3)
    }
}
