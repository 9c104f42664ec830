import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A turn to write a log on a quorum of servers` {
    private let servers = ScriptedQuorum { options in
        (options.unsealedCountMax, options.keptCount) = (5, 2)
    }
    private var faults: Locked<[SimulatedQuorum.Event]> { servers.faults }
    private var quorum: SimulatedQuorum { servers.quorum }

    private func batch(_ number: Int) -> [UInt8] { [3, UInt8(number), 7] }

    private func watch(_ log: RemoteLog) -> Locked<[String]> {
        let seen = Locked<[String]>([])
        log.observe { outcome in
            seen.withLock { seen in
                switch outcome {
                case .success(let position): seen.append("\(position.head.sequence)")
                case .failure(let error): seen.append(error.code.rawValue)
                }
            }
        }
        return seen
    }

    @Test func `is observed on the same stack again and again`() throws {
        let log = try servers.node("one")
        let places = Locked<[Int]>([])
        log.observe { _ in places.withLock { $0.append(StackPointer.current) } }
        for _ in 0..<1_000 { log.notify(.success(log.durableEnd)) }
        #expect(places.withLock { $0.count } == 1_000)
        #expect(places.withLock { $0.spread } < 1_000)
    }

    @Test func `is that of one node, until it closes`() throws {
        let (first, second) = (try servers.node("one"), try servers.node("two"))
        #expect(try first.takeTurn())
        #expect(try !second.takeTurn())
        #expect(second.writer == "one")
        let error = failure(as: LogError.self) { _ = try second.append(batch(1), as: 1) }
        #expect(error?.code == .notWriter)
        #expect(error?.message.contains("one") == true)
        _ = try first.append(batch(1), as: 1)
        #expect(try second.catchUp(from: connected()) == .complete)
        #expect(second.head == first.head)
        try first.close()
        #expect(try second.takeTurn())
        _ = try second.append(batch(2), as: 2)
        #expect(quorum.batches.map(\.bytes) == [batch(1), batch(2)])
    }

    /// Appends as a connection that does not have the turn.
    private func append(_ number: Int, after head: LogHead) throws -> LogHead {
        let bytes = batch(number)
        let chainHash = head.chainHash.advanced(by: bytes.withUnsafeBytes { XXH64.hash($0) })
        let next = RemoteBatch(
            sequence: head.sequence + 1, chainHash: chainHash, bytes: bytes)
        try connected().append([next], after: head, origin: 1)
        return next.head
    }

    @Test func `ends if another node has appended without it`() throws {
        let log = try servers.node("one")
        #expect(try log.takeTurn())
        let seen = watch(log)
        _ = try log.append(batch(1), as: 1)
        try log.endTurnIfBehind(connected())
        // What is staged is not on the server yet.
        let position = try log.append(batch(2), as: 2, deferring: true)
        try log.endTurnIfBehind(connected())
        try log.sync(through: position)
        try log.endTurnIfBehind(connected())
        #expect(log.isWriter)
        let head = try append(3, after: log.head)
        try log.endTurnIfBehind(connected())
        #expect(!log.isWriter && !log.isEndingTurn)
        #expect(seen.withLock { $0 } == ["1", "2", "notWriter"])
        #expect(try log.takeTurn())
        #expect(log.head == head)
        // The server has lost events.
        quorum.restore(batchCount: 2)
        try log.endTurnIfBehind(connected())
        #expect(!log.isWriter && log.head == head)
    }

    @Test func `is followed as far as its node has announced`() throws {
        let log = try servers.node("two")
        var heads = [log.head]
        for number in 1...4 { heads.append(try append(number, after: heads[number - 1])) }
        let server = try connected()
        #expect(try log.catchUp(from: server, through: heads[2]))
        #expect(log.head == heads[2] && log.end.head == heads[2])
        // One that comes late.
        #expect(try log.catchUp(from: server, through: heads[1]))
        // One that the server does not have, and one of which it has another.
        for chainHash in [heads[3].chainHash, heads[4].chainHash] {
            let other = LogHead(sequence: 5, chainHash: chainHash)
            #expect(try !log.catchUp(from: server, through: other))
        }
        let other = LogHead(sequence: 4, chainHash: heads[3].chainHash)
        #expect(try !log.catchUp(from: server, through: other))
        #expect(log.head == heads[2])
        #expect(try log.catchUp(from: server, through: heads[4]))
        #expect(log.head == heads[4])
        // A log with another history takes nothing.
        let stranger = try servers.node("three")
        _ = try stranger.local.append(batch(9), as: 1)
        #expect(try !stranger.catchUp(from: server, through: heads[4]))
        #expect(stranger.local.head.sequence == 1)
    }

    private func connected() throws -> any LogServer {
        let server = quorum.connection()
        try server.connect()
        return server
    }

    @Test func `is taken with what the node before has written`() throws {
        let (first, second) = (try servers.node("one"), try servers.node("two"))
        #expect(try first.takeTurn())
        for number in 1...3 { _ = try first.append(batch(number), as: UInt64(number)) }
        try first.close()
        #expect(try second.takeTurn())
        #expect(second.head.sequence == 3)
        #expect(second.durableEnd.head.sequence == 3)
        #expect(second.end.head.sequence == 3)
    }

    @Test func `is lost with what was not sent`() throws {
        let log = try servers.node("one")
        #expect(try log.takeTurn())
        let seen = watch(log)
        let first = try log.append(batch(1), as: 1, deferring: true)
        try log.sync(through: first)
        let second = try log.append(batch(2), as: 2, deferring: true)
        log.endTurn(LogError(.notWriter, "another node is to write"))
        #expect(seen.withLock { $0 } == ["1", "notWriter"])
        for _ in 0..<2 {
            let error = failure(as: LogError.self) { try log.sync(through: second) }
            #expect(error?.code == .notWriter)
            // A later turn does not make it true.
            #expect(try log.takeTurn())
            _ = try log.append(batch(3), as: log.head.sequence + 1)
        }
        try log.sync(through: first)
        #expect(quorum.batches.map(\.bytes) == [batch(1), batch(3), batch(3)])
    }

    @Test func `is lost to a node that has written meanwhile`() throws {
        let (first, second) = (try servers.node("one"), try servers.node("two"))
        #expect(try first.takeTurn())
        let seen = watch(first)
        _ = try first.append(batch(1), as: 1)
        // The server forgets who has the turn.
        quorum.restart()
        #expect(try second.takeTurn())
        #expect(try connected().turn()?.connection != first.turnConnection)
        _ = try second.append(batch(2), as: 2)
        let error = failure(as: LogError.self) { _ = try first.append(batch(3), as: 2) }
        #expect(error?.code == .notWriter)
        #expect(!first.isWriter)
        #expect(seen.withLock { $0 } == ["1", "notWriter"])
        #expect(try first.catchUp(from: connected()) == .complete)
        #expect(first.head == second.head)
        #expect(first.end.head == second.head)
    }

    @Test func `is renewed on another connection`() throws {
        let (log, other) = (try servers.node("one"), try servers.node("two"))
        #expect(try log.takeTurn())
        quorum.restart()
        let turn = try connected().turn()
        #expect(turn == nil)
        #expect(log.turnConnection != nil)
        try log.renewTurn()
        #expect(try connected().turn()?.connection == log.turnConnection)
        #expect(try !other.takeTurn())
        _ = try log.append(batch(1), as: 1)
    }

    @Test func `is kept through a failover that loses the connection`() throws {
        let (log, other) = (try servers.node("one"), try servers.node("two"))
        #expect(try log.takeTurn())
        faults.withLock { $0 = [.failedOverBefore] }
        _ = try log.append(batch(1), as: 1)
        #expect(try !other.takeTurn())
        #expect(quorum.batches.map(\.bytes) == [batch(1)])
    }

    @Test func `is free again if it could not be taken to the end`() throws {
        let (log, other) = (try servers.node("one"), try servers.node("two"))
        #expect(try other.takeTurn())
        _ = try other.append(batch(1), as: 1)
        try other.close()
        // While it catches up.
        faults.withLock { $0 = [.cancelled] }
        #expect(throws: ServerError.self) { try log.takeTurn() }
        let turn = try connected().turn()
        #expect(turn == nil)
        #expect(try log.takeTurn())
    }

    @Test func `is not ended by what was seen of another connection`() throws {
        let log = try servers.node("one")
        #expect(try log.takeTurn())
        let former = try #require(log.turnConnection)
        quorum.restart()
        try log.renewTurn()
        log.endTurn(of: former, .notTheWriter("two"))
        #expect(log.isWriter)
        log.endTurn(of: try #require(log.turnConnection), .notTheWriter("two"))
        #expect(!log.isWriter)
    }

    @Test func `is not renewed if the server has other batches`() throws {
        let (log, other) = (try servers.node("one"), try servers.node("two"))
        #expect(try log.takeTurn())
        let seen = watch(log)
        for number in 1...3 { _ = try log.append(batch(number), as: UInt64(number)) }
        quorum.restore(batchCount: 2)
        try log.renewTurn()
        #expect(!log.isWriter)
        #expect(seen.withLock { $0.last } == "notWriter")
        #expect(try other.takeTurn())
        #expect(other.head.sequence == 2)
    }
}

@Suite struct `A round that sends several transactions` {
    private let servers = ScriptedQuorum { options in
        (options.groupCountMax, options.patienceMilliseconds) = (1, 50)
    }
    private var faults: Locked<[SimulatedQuorum.Event]> { servers.faults }
    private var quorum: SimulatedQuorum { servers.quorum }

    @Test func `gives each batch the outcome of its transaction`() throws {
        let (log, other) = (try servers.node("one"), try servers.node("two"))
        let problem = Locked<(any Error)?>(nil)
        #expect(try log.takeTurn())
        log.observe { [quorum] outcome in
            guard case .success(let position) = outcome, position.head.sequence == 1 else { return }
            // Another node writes before the second transaction.
            quorum.restart()
            do {
                _ = try other.takeTurn()
                _ = try other.append([2, 9], as: 2)
            } catch {
                problem.withLock { $0 = error }
            }
        }
        let first = try log.append([2, 1], as: 1, deferring: true)
        let second = try log.append([2, 2], as: 2, deferring: true)
        // It leads the round, of which the second transaction fails.
        try log.sync(through: first)
        let error = failure(as: LogError.self) { try log.sync(through: second) }
        #expect(error?.code == .notWriter)
        #expect(problem.withLock { $0 } == nil)
        #expect(quorum.batches.map(\.bytes) == [[2, 1], [2, 9]])
        #expect(log.durableEnd.head.sequence == 1)
    }

    @Test func `has an unknown outcome if the next server refuses`() throws {
        for code in [LogError.Code.io, .insecureDurability] {
            let log = try servers.node("one") { [quorum] _ in
                quorum.refuseConnections(.refused(LogError(code, "it is not configured")))
            }
            #expect(try log.takeTurn())
            let sequence = log.end.head.sequence + 1
            faults.withLock { $0 = [.lostAfter] }
            let error = failure(as: LogError.self) { _ = try log.append([2, 1], as: sequence) }
            #expect(error?.code == .outcomeUnknown)
            #expect(quorum.batches.count == Int(sequence))
            quorum.refuseConnections(nil)
        }
    }

    @Test func `finds a batch that arrives while it is looked for, or later`() throws {
        let log = try servers.node("one")
        #expect(try log.takeTurn())
        for number in 1...14 {
            faults.withLock { $0 = [.delayed] }
            _ = try log.append([2, UInt8(number)], as: UInt64(number))
        }
        #expect(quorum.batches.map(\.bytes) == (1...14).map { [2, UInt8($0)] })
    }

    @Test func `is given up in time if no attempt gets an answer`() throws {
        let log = try servers.node("one")
        #expect(try log.takeTurn())
        faults.withLock { $0 = Array(repeating: .lostWhileWaiting, count: 100_000) }
        let error = failure(as: LogError.self) { _ = try log.append([2, 1], as: 1) }
        #expect(error?.code == .outcomeUnknown)
        #expect(!log.isWriter)
        // What may have happened to that batch has not happened to another one.
        let next = failure(as: LogError.self) { _ = try log.append([2, 2], as: 1) }
        #expect(next?.code == .unavailable)
    }

    @Test func `is waited for when the log is closed`() throws {
        let (isSent, mayGoOn) = (Monitor(false), Monitor(false))
        let log = try servers.node("one") { _ in
            isSent.change { $0 = true }
            mayGoOn.wait { $0 ? () : nil }
        }
        #expect(try log.takeTurn())
        let first = try log.append([2, 1], as: 1, deferring: true)
        faults.withLock { $0 = [.lostAfter] }
        let outcome = Monitor<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result { try log.sync(through: first) }
            outcome.change { $0 = result }
        }
        isSent.wait { $0 ? () : nil }
        _ = try log.append([2, 2], as: 2, deferring: true)
        log.endTurn(.notTheWriter("two"))
        let closing = Monitor<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result { try log.close() }
            closing.change { $0 = result }
        }
        #expect(closing.wait(atMost: 50) { $0 == nil ? nil : () } == nil)
        mayGoOn.change { $0 = true }
        #expect(throws: Never.self) { try outcome.wait { $0 }.get() }
        // The second batch was not sent.
        #expect(throws: LogError.self) { try closing.wait { $0 }.get() }
        #expect(quorum.batches.map(\.bytes) == [[2, 1]])
        #expect(log.durableEnd.head.sequence == 1)
    }
}
