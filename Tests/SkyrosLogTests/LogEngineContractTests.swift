import Dispatch
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

/// An engine with a new, empty log, and the means to open that log again.
struct EngineFactory: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let engine: @Sendable () throws -> any LogEngine
    /// Opens the log in a next process.
    let reopened: @Sendable () throws -> any LogEngine
    let observer: @Sendable () throws -> any ObservedLog

    static let batchBytesMax = 300

    /// Factories of logs that no other test uses.
    static var fresh: [EngineFactory] {
        [files(), memory(), servers()] + [database()].compactMap(\.self)
    }

    static let fixture = {
        var fixture = LogFixture(segmentBytesMax: 2_000)
        fixture.options.batchBytesMax = batchBytesMax
        return fixture
    }()

    /// The options of a node with the same limit.
    static let nodeOptions = {
        var options = RemoteLogOptions()
        options.batchBytesMax = batchBytesMax
        return options
    }()

    private static func files() -> EngineFactory {
        let disk = SimulatedDisk()
        return EngineFactory(
            testDescription: "files",
            engine: { try fixture.make(on: disk) },
            reopened: { try fixture.open(disk.killed()).0 },
            observer: {
                try LogFollower(on: disk, fixture.options, framing: LogFixture.framing)
            })
    }

    private static func servers() -> EngineFactory {
        let quorum = SimulatedQuorum(LogFixture().storeID, sharesTurn: true) { .none }
        // Each process has files that are a copy.
        let local: @Sendable (any LogServer) throws -> FileLog = { server in
            try server.connect()
            let log = try fixture.make(on: SimulatedDisk())
            #expect(try log.catchUp(with: server, time: { _ in 0 }) == .complete)
            return log
        }
        let engine: @Sendable () throws -> any LogEngine = {
            let server = quorum.connection()
            let log = RemoteLog(server, try local(server), nodeOptions)
            #expect(try log.takeTurn())
            return log
        }
        return EngineFactory(
            testDescription: "servers", engine: engine, reopened: engine,
            observer: {
                let server = quorum.connection()
                return RemoteLogFollower(server, try local(server), time: { _ in 0 })
            })
    }

    private static func memory() -> EngineFactory {
        let contents = MemoryLog.Contents(LogFixture().storeID)
        let engine: @Sendable () -> any LogEngine = {
            MemoryLog(contents, batchBytesMax: batchBytesMax)
        }
        return EngineFactory(
            testDescription: "memory", engine: engine, reopened: engine,
            observer: { MemoryLog(observing: contents) })
    }
}

@Suite(.serialized) struct `Every log engine` {
    @Test(arguments: EngineFactory.fresh)
    func `reads back what was appended, from any batch on`(factory: EngineFactory) throws {
        let log = try factory.engine()
        #expect(log.head.sequence == 0)
        #expect(try log.chunk(containing: 1) == nil)
        try log.append(100)
        for first: UInt64 in [1, 2, 17, 50, 99, 100] {
            #expect(try log.batches(from: first) == expected(100, from: first))
        }
        #expect(try log.chunk(containing: 0) == nil)
        #expect(try log.chunk(containing: 101) == nil)
        #expect(log.storeID == LogFixture().storeID)
    }

    @Test(arguments: EngineFactory.fresh)
    func `reads a chunk from the wanted batch on, until the reader has enough`(
        factory: EngineFactory
    ) throws {
        let log = try factory.engine()
        try log.append(60)
        for first: UInt64 in [1, 7, 41, 60] {
            let chunk = try #require(try log.chunk(containing: first))
            #expect((chunk.firstSequence...chunk.lastSequence).contains(first))
            #expect(chunk.count == Int(chunk.lastSequence - chunk.firstSequence) + 1)
            var seen: [UInt64] = []
            let wantsMore = chunk.forEach(from: first) { sequence, bytes in
                #expect([UInt8](bytes) == LogFixture.batch(sequence))
                seen.append(sequence)
                return seen.count < 2
            }
            #expect(seen == Array(first...min(first + 1, chunk.lastSequence)))
            #expect(wantsMore == (seen.count < 2))
        }
    }

    @Test(arguments: EngineFactory.fresh)
    func `chains the hashes of its batches from the store's id`(factory: EngineFactory) throws {
        let log = try factory.engine()
        var chainHash = ChainHash(beginning: log.storeID)
        for number: UInt64 in 1...60 {
            chainHash = chainHash.advanced(by: XXH64.hash(LogFixture.batch(number)))
            let position = try log.append(1)
            #expect(position.head == LogHead(sequence: number, chainHash: chainHash))
            #expect(position == log.end && log.head == position.head)
        }
        var next: UInt64 = 1
        chainHash = ChainHash(beginning: log.storeID)
        while let chunk = try log.chunk(containing: next) {
            #expect(chunk.chainHashBefore == chainHash && chunk.firstSequence == next)
            _ = chunk.forEach(from: next) { _, bytes in
                chainHash = chainHash.advanced(by: XXH64.hash(bytes))
                return true
            }
            next = chunk.lastSequence + 1
        }
        #expect(next == 61 && chainHash == log.head.chainHash)
    }

    @Test(arguments: EngineFactory.fresh)
    func `appends a batch only as the next one`(factory: EngineFactory) throws {
        let log = try factory.engine()
        try log.append(3)
        let end = log.end
        for number: UInt64 in [0, 1, 3, 5, .max] {
            #expect(logCode { _ = try log.append([1], as: number) } == .conflict)
        }
        #expect(log.end == end)
        #expect(try log.batches() == expected(3))
        try log.append(1)
        #expect(log.head.sequence == 4)
    }

    @Test(arguments: EngineFactory.fresh)
    func `refuses a batch beyond its limit and stays as it was (F37)`(
        factory: EngineFactory
    ) throws {
        let log = try factory.engine()
        try log.append(3)
        let large = [UInt8](repeating: 1, count: EngineFactory.batchBytesMax + 1)
        #expect(logCode { _ = try log.append(large, as: 4) } == .limitExceeded)
        #expect(log.head.sequence == 3)
        try log.append(1)
        #expect(try log.batches() == expected(4))
    }

    @Test(arguments: EngineFactory.fresh)
    func `orders its positions, and is durable up to each that was synced`(
        factory: EngineFactory
    ) throws {
        let log = try factory.engine()
        let first = try log.append(2)
        let second = try log.append(2, deferring: true)
        #expect(first < second && first.head.sequence == 2 && second.head.sequence == 4)
        #expect(log.writtenHead.sequence <= log.head.sequence)
        try log.sync(through: first)
        #expect(log.durableEnd >= first)
        try log.sync(through: second)
        #expect(log.durableEnd == second && log.durableEnd == log.end)
        #expect(log.writtenHead == log.head)
        #expect(try factory.reopened().batches() == expected(4))
    }

    @Test(arguments: EngineFactory.fresh)
    func `reads deferred batches, and keeps them in order`(factory: EngineFactory) throws {
        let log = try factory.engine()
        try log.append(10, deferring: true)
        #expect(try log.batches(through: 10) == expected(10))
        #expect(log.head.sequence == 10)
        try log.append(1)
        #expect(log.writtenHead.sequence == 11)
        try log.append(2, deferring: true)
        try log.sync(through: log.end)
        #expect(try log.batches() == expected(13))
    }

    @Test(arguments: EngineFactory.fresh)
    func `keeps what left the process when the process ends (F1)`(factory: EngineFactory) throws {
        let log = try factory.engine()
        try log.append(40)
        let next = try factory.reopened()
        #expect(try next.batches() == expected(40))
        #expect(next.head == log.head && next.storeID == log.storeID)
        try next.append(3)
        #expect(try next.batches() == expected(43))
    }

    @Test(arguments: EngineFactory.fresh)
    func `is durable and takes no more batches once it is closed`(factory: EngineFactory) throws {
        let log = try factory.engine()
        try log.append(5, deferring: true)
        let end = log.end
        try log.close()
        try log.close()
        #expect(log.durableEnd >= end)
        #expect(logCode { try log.append(1) } == .closed)
        #expect(try log.batches() == expected(5))
        #expect(try factory.reopened().batches() == expected(5))
    }

    @Test(arguments: EngineFactory.fresh)
    func `is followed from outside`(factory: EngineFactory) throws {
        let log = try factory.engine()
        try log.append(5)
        let observer = try factory.observer()
        #expect(try observer.batches() == expected(5))
        #expect(try !observer.refresh())
        try log.append(50)
        #expect(observer.head.sequence == 5)
        #expect(try observer.refresh())
        #expect(observer.head == log.head && observer.storeID == log.storeID)
        #expect(try observer.batches() == expected(55))
    }

    @Test(arguments: EngineFactory.fresh)
    func `serves many threads that read and sync while one appends`(
        factory: EngineFactory
    ) throws {
        let log = try factory.engine()
        let position = try log.append(20)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            do {
                if number == 0 { try log.append(100) }
                try log.sync(through: position)
                #expect(log.durableEnd >= position)
                #expect(try Array(log.batches().prefix(20)) == expected(20))
            } catch {
                Issue.record(error)
            }
        }
        #expect(try log.batches() == expected(120))
    }

    @Test(arguments: EngineFactory.fresh)
    func `reads the same after maintenance`(factory: EngineFactory) throws {
        let log = try factory.engine()
        try log.append(80)
        let head = log.head
        try log.sync(through: log.end)
        try log.segments?.markIdle()
        _ = try log.segments?.endSegment(after: 80, at: 80)
        while try log.segments?.sealNext() ?? false {}
        #expect(log.segments?.endedSegmentCount ?? 0 == 0)
        #expect(try log.batches() == expected(80))
        while try log.segments?.mergeNext() ?? false {}
        #expect(log.head == head)
        #expect(try log.batches() == expected(80))
        #expect(try factory.reopened().head == head)
    }
}
