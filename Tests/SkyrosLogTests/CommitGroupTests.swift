import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

/// Each test blocks one sync while other threads start to wait.
@Suite(.mayHang) struct `Threads that wait for a sync` {
    private let disk = GatedDisk(SimulatedDisk())

    /// A log with a batch whose sync, number `heldSync`, is blocked on another thread.
    private struct Scene {
        let log: FileLog
        let first: Waiters
        let heldSync: Int
    }

    /// Threads that wait until the log is durable through a position.
    private struct Waiters {
        private let state = Monitor(State())
        private let count: Int

        struct State: Sendable {
            var comeCount = 0
            var codes: [LogError.Code?] = []
        }

        init(_ count: Int, for position: LogPosition, of log: FileLog) {
            self.count = count
            for _ in 0..<count {
                Thread.detachNewThread { [state] in
                    state.change { $0.comeCount += 1 }
                    var code: LogError.Code?
                    do throws(LogError) {
                        try log.sync(through: position)
                    } catch {
                        code = error.code
                    }
                    state.change { $0.codes.append(code) }
                }
            }
            state.wait { $0.comeCount == count ? () : nil }
        }

        /// The results of all threads, once every one has ended.
        func outcomes() -> [LogError.Code?] {
            state.wait { $0.codes.count == count ? $0.codes : nil }
        }
    }

    private func scene() throws -> Scene {
        disk.allowSyncs(100)
        let log = try LogFixture().make(on: disk)
        let count = disk.disk.count(.syncFile)
        disk.allowSyncs(count)
        let first = Waiters(1, for: try log.append(1), of: log)
        disk.waitForSyncs(count + 1)
        return Scene(log: log, first: first, heldSync: count + 1)
    }

    @Test func `share the next sync if they wrote after one began`() throws {
        let scene = try scene()
        let others = Waiters(8, for: try scene.log.append(8), of: scene.log)
        disk.allowSyncs(scene.heldSync + 1)
        #expect(others.outcomes() == Array(repeating: nil, count: 8))
        #expect(scene.first.outcomes() == [nil])
        #expect(disk.disk.count(.syncFile) == scene.heldSync + 1)
    }

    @Test func `share a running sync if it covers their batches`() throws {
        let scene = try scene()
        let position = try scene.log.append(8)
        let others = Waiters(8, for: position, of: scene.log)
        disk.allowSyncs(scene.heldSync)
        disk.waitForSyncs(scene.heldSync + 1)
        let late = Waiters(8, for: position, of: scene.log)
        disk.allowSyncs(100)
        #expect(others.outcomes() == Array(repeating: nil, count: 8))
        #expect(late.outcomes() == Array(repeating: nil, count: 8))
        #expect(disk.disk.count(.syncFile) == scene.heldSync + 1)
    }

    @Test func `all get the error of a failed sync, and no other sync follows (F13)`() throws {
        let scene = try scene()
        let same = Waiters(4, for: scene.log.end, of: scene.log)
        let later = Waiters(4, for: try scene.log.append(1), of: scene.log)
        disk.disk.inject(Fault(.syncFile))
        disk.allowSyncs(100)
        for waiters in [scene.first, same, later] {
            #expect(waiters.outcomes().allSatisfy { $0 == .durabilityLost })
        }
        #expect(disk.disk.count(.syncFile) == scene.heldSync)
    }

    /// While a sync blocks, a writer that does not wait for it continues, up to the bound.
    @Test func `do not delay a buffered writer, up to the bound (F22)`() throws {
        var fixture = LogFixture()
        fixture.options.unsyncedBytesMax = 4_000
        disk.allowSyncs(100)
        let log = try fixture.make(on: disk)
        let durableBytes = log.statistics.fileBytes
        let count = disk.disk.count(.syncFile)
        disk.allowSyncs(count)
        let first = Waiters(1, for: try log.append(1), of: log)
        disk.waitForSyncs(count + 1)
        let progress = Monitor(0)
        let total: UInt64 = 60
        Thread.detachNewThread {
            while log.head.sequence < total {
                guard (try? log.append(1)) != nil else { return }
                progress.change { $0 += 1 }
            }
        }
        // The writer reaches the bound. Only then does it need a sync, after the running one.
        progress.wait { $0 >= 20 ? () : nil }
        disk.allowSyncs(count + 1)
        disk.waitForSyncs(count + 2)
        #expect(log.statistics.fileBytes - durableBytes <= 4_000)
        disk.allowSyncs(1_000)
        #expect(first.outcomes() == [nil])
        progress.wait { $0 == Int(total) - 1 ? () : nil }
        #expect(try log.batches() == expected(total))
    }

    @Test func `continue if deferred batches cannot be written`() throws {
        let scene = try scene()
        let position = try scene.log.append(1, deferring: true)
        let others = Waiters(4, for: position, of: scene.log)
        disk.disk.inject(Fault(.write, reason: .noSpace))
        disk.allowSyncs(100)
        // One of them got the error; each of the others tried again.
        #expect(others.outcomes().filter { $0 == .diskFull }.count == 1)
        #expect(scene.log.durableEnd == position)
    }
}
