import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// What a node reports, and keeps, of the files that copy the log of a server.
@Suite(.mayHang) struct `The copy of a log on a server` {
    private let nodes = SimulatedNodes()

    private func insert(_ ids: ClosedRange<Int>, in store: Store, _ text: String = "") throws {
        for id in ids { try store.write { try $0.insert(Note(id: id, text: text)) } }
    }

    /// The files of a closed node that has shown five events, of which the server has lost two.
    private func lateCopy() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try nodes.store("one", on: disk)
        try insert(1...5, in: store)
        try store.close()
        nodes.quorum.restore(batchCount: 3)
        return disk.killed()
    }

    /// Opens a node twice, of which the first one reports that the history was replaced.
    private func checkReport(of copy: SimulatedDisk) throws {
        for expected in [3, nil] as [SequenceNumber?] {
            let store = try nodes.store("one", .writer, on: copy)
            #expect(store.recovery.historyReplacedAfter == expected)
            #expect(try store.all(Note.self).map(\.id) == [1, 2, 3])
            try store.close()
        }
    }

    @Test func `is reported as replaced by the first opening that succeeds (P4)`() throws {
        let copy = try lateCopy()
        let other = try nodes.store("two")
        for _ in 0..<2 {
            let error = failure(as: StoreError.self) {
                _ = try nodes.store("one", .writer, on: copy)
            }
            #expect(error?.code == .alreadyOpen)
            #expect(try !copy.list(.quarantine).isEmpty)
        }
        try other.close()
        try checkReport(of: copy)
    }

    @Test func `is reported as replaced although making another one has failed (P4)`() throws {
        let copy = try lateCopy()
        // The server is lost while the next copy is made.
        nodes.faults.withLock { $0 = [.none, .lostBefore] }
        let error = failure(as: StoreError.self) { _ = try nodes.store("one", on: copy) }
        #expect(error?.code == .serverUnavailable)
        #expect(try !copy.list(.quarantine).isEmpty)
        try checkReport(of: copy.killed())
    }

    @Test func `is not reported again after an open node has reported it`() throws {
        let reports = Monitor<[StoreError.Code]>([])
        var options = Store.Options()
        options.onError = { error in
            reports.change { $0.append(StoreError.wrapping(error).code) }
        }
        let disk = SimulatedDisk()
        let store = try nodes.store("one", .automatic, on: disk, options)
        try insert(1...5, in: store)
        nodes.quorum.restore(batchCount: 3)
        reports.wait { $0.contains(.historyChanged) ? () : nil }
        try store.close()
        #expect(try disk.status(of: .replacedHistory) == nil)
        let again = try nodes.store("one", on: disk.killed())
        #expect(again.recovery.historyReplacedAfter == nil)
        #expect(try again.all(Note.self).map(\.id) == [1, 2, 3])
    }

    @Test(
        arguments: [(1...3, .belowFloor), (2...2, .logCorrupt)]
            as [(ClosedRange<UInt64>, StoreError.Code)])
    func `is kept if the server has lost earlier events`(
        lost: ClosedRange<UInt64>, code: StoreError.Code
    ) throws {
        let (writer, disk) = (try nodes.store("one"), SimulatedDisk())
        try insert(1...2, in: writer)
        try nodes.store("two", .reader, on: disk).close()
        try insert(3...4, in: writer)
        nodes.quorum.lose(lost)
        let copy = disk.killed()
        let before = try copy.list(.events)
        for _ in 0..<2 {
            let error = failure(as: StoreError.self) {
                _ = try nodes.store("two", .reader, on: copy)
            }
            #expect(error?.code == code)
        }
        #expect(try copy.list(.events) == before)
        #expect(try copy.list(.quarantine).isEmpty)
    }

    @Test func `has the events of the writer in its files while the servers are away`()
        async throws
    {
        let reports = Monitor<[StoreError.Code]>([])
        var options = Store.Options()
        options.onError = { error in
            reports.change { $0.append(StoreError.wrapping(error).code) }
        }
        let disk = SimulatedDisk()
        let store = try nodes.store(
            "one", .automatic, on: disk, options, pollMilliseconds: 600_000)
        // Its first check of the server is over, and the next one is far.
        while store.nodeStatus?.lastContact == nil { await Task.yield() }
        try insert(1...3, in: store)
        nodes.quorum.refuseConnections(.unavailable("it is down"))
        nodes.quorum.restart()
        reports.wait { $0.contains(.serverUnavailable) ? () : nil }
        #expect(try Archive(on: disk.killed()).sequence == 3)
    }

    @Test func `gives archives and backups each event of a write that has returned`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let store = try nodes.store("one", pollMilliseconds: 600_000)
        // The next check of the server, which writes the files, is far.
        while store.nodeStatus?.lastContact == nil { await Task.yield() }
        try insert(1...3, in: store)
        #expect(try store.archive().sequence == 3)
        try insert(4...4, in: store)
        func backup() throws -> BackupReport { try store.backup(to: directory.store) }
        #expect(try backup().sequence == 4)
        #expect(try Archive(at: directory.store).snapshot().digest() == store.snapshot.digest())
    }

    @Test func `is compressed by a node that reads`() async throws {
        var options = Store.Options()
        options.segmentBytesMax = 64 << 10
        let disk = SimulatedDisk()
        let writer = try nodes.store("one")
        let reader = try nodes.store("two", .reader, on: disk, options)
        try insert(1...100, in: writer, String(repeating: "text ", count: 400))
        try await reader.wait(for: 100)
        // What is queued runs first.
        reader.maintenance.stop()
        #expect(try disk.list(.events).contains { $0.hasSuffix(".zst") })
    }

    @Test func `is no store at any moment while an interrupted copy is continued`() throws {
        let disk = SimulatedDisk()
        try insert(1...3, in: try nodes.store("one"))
        let server = nodes.quorum.connection()
        try server.connect()
        let state = try server.state()
        let cache = ServerCache(disk: disk, options: LogOptions(), entropy: SystemEntropy())
        func copy() throws { _ = try cache.fill(state, from: server) { _ in } }
        nodes.faults.withLock { $0 = [.lostBefore] }
        #expect(throws: StoreError.self) { try copy() }
        // The connection is lost, and no file can be created.
        disk.inject(Fault(.create, isLasting: true))
        #expect(throws: (any Error).self) { try copy() }
        disk.heal()
        let error = failure(as: StoreError.self) {
            _ = try Store(Schema([Note.self]), Store.Options(), Environment(disk: disk.killed()))
        }
        #expect(error?.code == .foreignStore)
        try server.connect()
        try copy()
        let store = try Store(
            Schema([Note.self]), Store.Options(), Environment(disk: disk.killed()))
        #expect(try store.all(Note.self).map(\.id) == [1, 2, 3])
    }
}
