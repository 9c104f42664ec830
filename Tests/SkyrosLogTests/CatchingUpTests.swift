import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A local log that follows a server` {
    private let servers = ScriptedQuorum { options in
        (options.unsealedCountMax, options.keptCount, options.frameBytes) = (5, 2, 20)
    }

    private func connected() throws -> any LogServer {
        let server = servers.quorum.connection()
        try server.connect()
        return server
    }

    /// The node that has written batches.
    private func writer(_ count: Int) throws -> RemoteLog {
        let log = try servers.node("one")
        #expect(try log.takeTurn())
        for number in 1...count {
            _ = try log.append([3, UInt8(number), 7], as: UInt64(number))
        }
        return log
    }

    @Test func `reads what is compressed without the newest batches`() throws {
        let (log, server) = (try writer(40), try connected())
        while try log.seal(with: server) {}
        let sealed = try server.state().sealedThrough
        #expect(servers.quorum.frameCount > 3 && sealed < 40)
        let late = try servers.node("two")
        #expect(try late.catchUp(from: server) == .complete)
        #expect(late.head == log.head)
        // Each of them once.
        #expect(servers.quorum.readCount == 40 - Int(sealed))
        let reader = try ServerReader(server, framing: LogFixture.framing)
        #expect(try reader.chunk(containing: 1)?.firstSequence == 1)
        #expect(servers.quorum.readCount == 40 - Int(sealed))
    }

    @Test func `takes a hole on the server for damage, not for another history`() throws {
        let (log, server) = (try writer(3), try connected())
        let follower = try servers.node("two")
        #expect(try follower.catchUp(from: server) == .complete)
        let head = follower.head
        for number in 4...5 { _ = try log.append([3, UInt8(number), 7], as: UInt64(number)) }
        servers.quorum.lose(3...3)
        let error = failure(as: ServerError.self) { _ = try follower.catchUp(from: server) }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .corrupt && refusal.sequences == 3...3)
        #expect(follower.head == head)
        // A server that ends before has another history.
        servers.quorum.restore(batchCount: 2)
        #expect(try follower.catchUp(from: connected()) == .historyReplaced(after: 2))
    }
}
