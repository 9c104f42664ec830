import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosSQLite
import SkyrosTesting
import Testing

@testable import Skyros

private struct Item: Entity {
    var id: Int
    var text = ""
    static let indexes: [Index<Item>] = [.unique(\.text)]
}

/// Provokes each error that a store can throw.
enum ErrorProvocation {
    /// Throws an error with this code.
    static func provoke(_ code: ErrorCode) throws {
        switch code {
        case .alreadyOpen: try openBesideAnother()
        case .insecurePath: try openThroughLink()
        case .notAStore: _ = try Archive(on: SimulatedDisk())
        case .unsupportedFormat: try openDamaged { $0[10] = 9 }
        case .foreignStore: try openDamaged { for byte in [16, 40] { $0[byte] ^= 1 } }
        case .chainBroken: try openDamaged { $0[40] ^= 1 }
        case .logCorrupt: try openDamaged { $0[0] ^= 1 }
        case .segmentMissing: try openWithoutFirstSegment()
        case .logBehindCheckpoint: try openWithOlderLog()
        case .invalidSchema: try openWithoutTypes()
        case .schemaMismatch: _ = try reopened(as: OtherShape.self)
        case .evolutionFailed: _ = try reopened(as: Failing.self).all(Failing.self)
        case .conflict: try appendBesideAnother()
        case .diskFull: try write(on: Fault(.write, reason: .noSpace))
        case .io: try write(on: Fault(.write, reason: .system(5)))
        case .durabilityLost: try write(on: Fault(.syncFile))
        case .checkpointFailed:
            try Archive(on: written(hasCheckpoints: false)).rebuildCheckpoint()
        case .checkpointBusy: try writeLockedCheckpoint()
        case .historyIndexFailed: try readDamagedRun()
        case .invalidEvent: try open(diskWithInvalidEvent())
        case .brokenReference, .deletionDenied, .unknownRelation: try provokeByRelation(code)
        case .unmergedEdits: try releaseWithEdits()
        case .storesDiffer: try switchToAnother()
        case .belowFloor: try askBelowFloor()
        case .projectionPending, .projectionFailed, .subscriptionFailed: try provokeByEvents(code)
        default: try provoke(code, in: Store(inMemory: Item.self, options: options))
        }
    }

    /// Provokes errors that only need a store.
    private static func provoke(_ code: ErrorCode, in store: Store) throws {
        try store.write { try $0.insert(Item(id: 1)) }
        switch code {
        case .unknownProjection, .positionMissing: try askForUnknown(code, in: store)
        case .unknownEntity: try store.write { try $0.deleteAll(Unknown.self) }
        case .duplicateID: try store.write { try $0.insert(Item(id: 1)) }
        case .notFound: try store.write { try $0.update(Item(id: 2)) }
        case .uniqueViolation: try store.write { try $0.insert(Item(id: 2)) }
        case .idChanged: try store.write { try $0.update(Item.self, 1) { $0.id = 2 } }
        case .notEncodable: try store.write(intent: Unencodable()) { _ in }
        case .clockAhead: try write(afterMoving: 11 * 31_557_600_000_000)
        case .clockBehind: try write(afterMoving: -2_000_000)
        case .suspended:
            store.suspend()
            try store.write { _ in }
        case .historyChanged: try resumeOnOlderLog()
        case .nestedWrite: try store.write { _ in try store.write { _ in } }
        case .wrongTransaction: try exchangeTransactions(with: store)
        case .writeCycle: try writeInCycle(with: store)
        case .closed:
            try store.close()
            try store.write { _ in }
        case .erased:
            let events = store.events()
            try store.nuke()
            _ = try Array(events)
        case .limitExceeded:
            let text = String(repeating: "x", count: options.eventBytesMax)
            try store.write { try $0.insert(Item(id: 2, text: text)) }
        case .notDecodable: _ = try store.get(Incompatible.self, 1)
        case .nothingToUndo:
            try store.write(intent: Asked()) { _ in }
            try store.undo(2)
        case .reasonRequired: try writeWithoutReason()
        case .filterFailed: try readByThrowingFilter(store)
        case .mergeConflict: try mergeInConflict(with: store)
        case .foreignChild: try store.merge(Store(inMemory: Item.self).fork())
        case .discarded:
            let child = store.fork()
            try child.discard()
            try child.merge()
        case .noSuchEvent: _ = try store.snapshot(asOf: .sequence(2))
        case .invalidInput: _ = try store.snapshot.query("SELEKT")
        case .unknownField: try store.write { try $0.set(Item.self, 1, ["size": 2]) }
        case .invalidCursor: try continueAnotherRequest(in: store)
        case .overflow:
            try store.write { try $0.insert(Item(id: .max, text: "max")) }
            _ = try store.sum(Item.self, of: \.id)
        default: try useServers(code)
        }
    }
}

// MARK: Entities and options

private struct Unknown: Entity {
    var id: Int
}

/// Has the entity name of another type, and a field that the records do not have.
private struct Incompatible: Entity {
    static let entityName = "Item"
    var id: Int
    var size: Int
}

private struct Owned: Entity {
    var id: Int
    var owner: Ref<Item>
    var other: Ref<Item>?
    static let relations: [Relation<Owned>] = [.to(\.owner, onDelete: .deny)]
}

private struct Asked: DomainCommand {}

private struct Unencodable: DomainCommand {
    struct Failure: Error {}

    func encode(to encoder: any Encoder) throws { throw Failure() }
}

extension ErrorProvocation {
    /// Small limits: a few events fill a segment.
    private static var options: Store.Options {
        var options = Store.Options()
        options.segmentBytesMax = 500
        options.eventBytesMax = 10_000
        return options
    }

    private static func open(_ disk: SimulatedDisk) throws {
        _ = try Store(on: disk, entities: Item.self, options: options)
    }

    /// A disk with a log of several segments, cleanly closed.
    private static func written(hasCheckpoints: Bool = true) throws -> SimulatedDisk {
        let disk = SimulatedDisk(hasCheckpoints: hasCheckpoints)
        let store = try Store(on: disk, entities: Item.self, options: options)
        for id in 0..<20 { try store.write { try $0.insert(Item(id: id, text: "\(id)")) } }
        try store.close()
        return disk
    }

    private static func segments(of disk: SimulatedDisk) -> [String] {
        disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
    }
}

// MARK: Damage to the log

extension ErrorProvocation {
    /// Opens a store after a change to the header of its newest segment, which is not compressed;
    /// updates the checksum of the header.
    private static func openDamaged(_ change: (inout [UInt8]) -> Void) throws {
        let disk = try written()
        let name = try #require(segments(of: disk).last)
        var bytes = try #require(disk.contents[name])
        change(&bytes)
        let check = XXH64.hash(Array(bytes[..<88]))
        withUnsafeBytes(of: check.littleEndian) { bytes.replaceSubrange(88..<96, with: $0) }
        disk.overwrite(name, with: bytes)
        try open(disk)
    }

    private static func openWithoutFirstSegment() throws {
        let disk = try written()
        disk.erase(segments(of: disk)[0])
        try open(disk)
    }

    /// A log with a batch that is valid CBOR, but not an event.
    private static func diskWithInvalidEvent() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let log = try log(on: disk)
        try append([0xA0], as: 1, to: log)
        try log.close()
        return disk
    }

    /// Appends to an event log after another writer has appended to its file.
    private static func appendBesideAnother() throws {
        let file = try log(on: SimulatedDisk())
        let log = EventLog(file, lastTime: .zero)
        try append([0xA0], as: 1, to: file)
        let batch = CommandBatch(metadata: Metadata(), intent: nil)
        _ = try log.append(batch, at: 0, deferring: false)
    }

    private static func log(on disk: SimulatedDisk) throws -> FileLog {
        let entropy = SeededEntropy(seed: 1)
        return try FileLog.make(
            for: StoreID(from: entropy), on: disk, LogOptions(), entropy: entropy,
            framing: EventCoding.byteCount(of:))
    }

    private static func append(_ batch: [UInt8], as sequence: UInt64, to log: FileLog) throws {
        try batch.withUnsafeBytes { bytes in
            _ = try log.append(bytes, as: sequence, timeBefore: 0, deferring: false)
        }
    }
}

// MARK: Other ways to fail

extension ErrorProvocation {
    private static func write(on fault: Fault) throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Item.self, options: options)
        disk.inject(fault)
        try store.write(durability: .durable) { try $0.insert(Item(id: 1)) }
    }

    /// Throws the error of a write, or of the warning that it leads to.
    private static func write(afterMoving microseconds: Int64) throws {
        let errors = Locked<[any Error]>([])
        var options = options
        options.onError = { error in errors.withLock { $0.append(error) } }
        let clock = ManualClock()
        let store = try Store(
            on: SimulatedDisk(), entities: Item.self, options: options, clock: clock)
        try store.write { try $0.insert(Item(id: 1)) }
        clock.advance(byMicroseconds: microseconds)
        try store.write { _ = try $0.delete(Item.self, 1) }
        options.callbackQueue.sync {}
        if let error = errors.withLock({ $0.first }) { throw error }
    }

    private static func readByThrowingFilter(_ store: Store) throws {
        let filter = Filter<Item> { _ in throw Unencodable.Failure() }
        var page = LivePage(FetchRequest(where: filter), on: .all, store.liveHub)
        _ = try page.advance(to: store.snapshot)
    }

    private static func mergeInConflict(with store: Store) throws {
        let child = store.fork()
        defer { try? child.discard() }
        try child.write { _ = try $0.delete(Item.self, 1) }
        try store.write { try $0.update(Item(id: 1, text: "new")) }
        try child.merge()
    }

    /// Throws the error that the end of a child store leads to.
    private static func releaseWithEdits() throws {
        let errors = Locked<[any Error]>([])
        var options = options
        options.onError = { error in errors.withLock { $0.append(error) } }
        let store = try Store(inMemory: Item.self, options: options)
        try store.fork().write { try $0.insert(Item(id: 1)) }
        options.callbackQueue.sync {}
        if let error = errors.withLock({ $0.first }) { throw error }
    }

    /// Throws the error that a damaged run leads to: its question is answered by the log.
    private static func readDamagedRun() throws {
        let disk = SimulatedDisk()
        let errors = Locked<[any Error]>([])
        var options = options
        options.onError = { error in errors.withLock { $0.append(error) } }
        var store = try Store(on: disk, entities: Item.self, options: options)
        try store.write { try $0.insert(Item(id: 1)) }
        try store.run(.indexHistory)
        try store.close()
        let path = try #require(disk.contents.keys.first { $0.hasPrefix("history/") })
        disk.overwrite(path, with: [1, 2, 3])
        store = try Store(on: disk, entities: Item.self, options: options)
        #expect(try store.history(of: Item.self, 1).count == 1)
        try store.close()
        options.callbackQueue.sync {}
        if let error = errors.withLock({ $0.first }) { throw error }
    }

    private static func switchToAnother() throws {
        let old = try SQLiteStore()
        try old.transaction { try $0.insert(Item(id: 1)) }
        try MirroredStore(primary: old, shadow: try SQLiteStore()).switchOver()
    }

    private static func resumeOnOlderLog() throws {
        let disk = SimulatedDisk(hasCheckpoints: false)
        let store = try Store(on: disk, entities: Item.self)
        store.suspend()
        let older = disk.contents
        try store.resume()
        try store.write { try $0.insert(Item(id: 1)) }
        store.suspend()
        for (path, bytes) in older { disk.overwrite(path, with: bytes) }
        try store.resume()
    }

    private static func continueAnotherRequest(in store: Store) throws {
        try store.write { try $0.insert(Item(id: 2, text: "second")) }
        var request = FetchRequest<Item>(sortedBy: [.ascending(\.text)], limit: 1)
        let next = try store.page(request).next
        request.sort = [.descending(\.text)]
        _ = try store.page(request, after: next)
    }

    private static func provokeByRelation(_ code: ErrorCode) throws {
        let store = try Store(inMemory: Item.self, Owned.self)
        try store.write { tx in
            try tx.insert(Item(id: 1))
            try tx.insert(Owned(id: 1, owner: Ref(code == .brokenReference ? 2 : 1)))
        }
        if code == .unknownRelation {
            _ = try store.all(Owned.self, referring: \.other, to: Ref(1))
        }
        try store.write { _ = try $0.delete(Item.self, 1) }
    }

    private static func exchangeTransactions(with store: Store) throws {
        let other = try Store(inMemory: Item.self)
        try store.write { a in try other.write { b in swap(&a, &b) } }
    }

    /// Lets another thread hold a store and wait for this one, and then wants that store.
    private static func writeInCycle(with store: Store) throws {
        let other = try Store(inMemory: Item.self)
        let thread = Monitor<ThreadID?>(nil)
        let queue = SerialQueue()
        defer { queue.stop() }
        try store.write { _ in
            try queue.enqueue {
                try? other.write { _ in
                    thread.change { $0 = .current }
                    try store.write { _ in }
                }
            }
            let waiting = thread.wait { $0 }
            while !WaitGraph.shared.state.withLock({ $0.waits[waiting] != nil }) { sched_yield() }
            try other.write { _ in }
        }
    }

    private static func openBesideAnother() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Item.self, options: options)
        try withExtendedLifetime(store) { try open(disk) }
    }

    private static func writeLockedCheckpoint() throws {
        try inDirectory { directory in
            let disk = try PosixDisk(path: directory.path, creating: false)
            let store = try Store(
                Schema([Item.self]), options, Environment(disk: disk, lockTimeoutMilliseconds: 0))
            try store.write { try $0.insert(Item(id: 1)) }
            let file = directory.appending(path: "checkpoint.sqlite").path
            let other = try Connection(ConnectionOptions(.file(file)))
            try other.execute("BEGIN EXCLUSIVE")
            try store.run(.checkpoint)
        }
    }

    private static func openWithoutTypes() throws {
        try inDirectory { _ = try Store(at: $0.appending(path: "Test.skyros"), entities: []) }
    }

    private static func openThroughLink() throws {
        try inDirectory { directory in
            let link = directory.appending(path: "link.skyros")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory)
            _ = try Store(at: link, entities: Item.self)
        }
    }

    /// Restores an older log, so that the checkpoint is ahead of it.
    private static func openWithOlderLog() throws {
        try inDirectory { directory in
            let url = directory.appending(path: "Test.skyros")
            let log = url.appending(path: "events/00000000000000000001.open")
            var older = Data()
            for id in 1...2 {
                older = (try? Data(contentsOf: log)) ?? older
                let store = try Store(at: url, entities: Item.self)
                try store.write { try $0.insert(Item(id: id, text: "\(id)")) }
                try store.close()
            }
            try older.write(to: log)
            _ = try Store(at: url, entities: Item.self)
        }
    }

    private static func inDirectory(_ body: (URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "skyros-errors-\(UUID().uuidString)").resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory)
    }
}
