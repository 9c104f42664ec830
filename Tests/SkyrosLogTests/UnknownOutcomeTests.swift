import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A batch whose outcome is unknown` {
    private let servers = ScriptedQuorum { options in
        (options.unsealedCountMax, options.keptCount) = (5, 2)
    }
    private var quorum: SimulatedQuorum { servers.quorum }

    private func batch(_ number: Int) -> [UInt8] { [3, UInt8(number), 7] }

    /// Loses the connection of a node that appends batch 1, and lets another one write meanwhile.
    ///
    /// - Returns: the node, and the error of its append.
    private func append(
        losing fault: SimulatedQuorum.Event, _ body: @escaping @Sendable (RemoteLog) throws -> Void
    ) throws -> (RemoteLog, LogError?) {
        let other = Locked<RemoteLog?>(nil)
        let problem = Locked<(any Error)?>(nil)
        let log = try servers.node("one") { _ in
            guard let next = other.withLock({ $0 }), !next.isWriter else { return }
            do {
                _ = try next.takeTurn()
                try body(next)
            } catch {
                problem.withLock { $0 = error }
            }
        }
        let second = try servers.node("two")
        other.withLock { $0 = second }
        #expect(try log.takeTurn())
        servers.faults.withLock { $0 = [fault] }
        let error = failure(as: LogError.self) { _ = try log.append(batch(1), as: 1) }
        #expect(problem.withLock { $0 } == nil)
        return (log, error)
    }

    @Test func `is found although another node writes`() throws {
        let (log, error) = try append(losing: .lostAfter) { other in
            for number in 2...4 { _ = try other.append(batch(number), as: UInt64(number)) }
        }
        #expect(error == nil)
        #expect(quorum.batches.map(\.bytes) == (1...4).map { batch($0) })
        let next = failure(as: LogError.self) { _ = try log.append(batch(9), as: 2) }
        #expect(next?.code == .notWriter)
    }

    @Test func `stays unknown if the batch was compressed since`() throws {
        let server = quorum.connection()
        try server.connect()
        let (_, error) = try append(losing: .lostAfter) { other in
            for number in 2...20 { _ = try other.append(batch(number), as: UInt64(number)) }
            while try other.seal(with: server) {}
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(quorum.frameCount > 0 && quorum.batches.count == 20)
    }

    @Test func `is not that of another node which has written the same bytes`() throws {
        let (log, error) = try append(losing: .lostBefore) { other in
            _ = try other.append(batch(1), as: 1)
        }
        #expect(error?.code == .notWriter)
        #expect(!log.isWriter && quorum.batches.map(\.bytes) == [batch(1)])
    }
}
