import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.mayHang) struct `A node of a store` {
    private let nodes = SimulatedNodes()

    private func insert(_ id: Int, in store: Store, _ text: String = "") throws {
        try store.write(by: "ann") { try $0.insert(Note(id: id, text: text)) }
    }

    private func inserted(_ id: Int, in store: Store, _ text: String) throws -> Receipt {
        try store.writeWithReceipt { try $0.insert(Note(id: id, text: text)) }.receipt
    }

    @Test func `shows what another one writes`() async throws {
        let (writer, reader) = (try nodes.store("one"), try nodes.store("two", .reader))
        #expect(writer.isWriter && !reader.isWriter)
        var results = reader.live(Note.self).makeAsyncIterator()
        #expect(try await results.next()?.isEmpty == true)
        let receipt = try inserted(1, in: writer, "a")
        #expect(receipt.durability == .durable)
        let state = try await reader.read(after: receipt)
        #expect(try state.get(Note.self, 1)?.text == "a")
        #expect(try await results.next()?.map(\.id) == [1])
        #expect(state.chainHash == writer.snapshot.chainHash)
        #expect(try state.digest() == writer.snapshot.digest())
        #expect(reader.writerNode == "one")
        let error = failure(as: StoreError.self) { try insert(2, in: reader) }
        #expect(error?.code == .alreadyOpen)
        #expect(error?.message.contains("one") == true)
    }

    @Test func `that must write is refused while another one does`() throws {
        let writer = try nodes.store("one")
        let error = failure(as: StoreError.self) { _ = try nodes.store("two", .writer) }
        #expect(error?.code == .alreadyOpen)
        try writer.close()
        let next = try nodes.store("two", .writer)
        try insert(1, in: next)
    }

    @Test func `takes over when the writer is gone`() async throws {
        let (first, second) = (try nodes.store("one"), try nodes.store("two"))
        for id in 1...3 { try insert(id, in: first) }
        try first.close()
        try await second.waitUntilWriter()
        #expect(try second.all(Note.self).map(\.id) == [1, 2, 3])
        try insert(4, in: second)
        #expect(second.sequence == 4)
        #expect(nodes.quorum.batches.count == 4)
        #expect(try second.history(of: Note.self, 4).count == 1)
    }

    @Test func `shows no event that the quorum does not have`() async throws {
        let store = try nodes.store("one")
        try insert(1, in: store)
        nodes.gate.change { $0 = false }
        let (hasRun, done) = (Monitor<Int?>(nil), Monitor(0))
        store.writeAsync {
            try $0.insert(Note(id: 2, text: ""))
        } completion: { _ in
            done.change { $0 += 1 }
        }
        // The next block runs on what the one before has written, though no reader sees it.
        store.writeAsync { tx in
            let count = try tx.all(Note.self).count
            hasRun.change { $0 = count }
            try tx.insert(Note(id: 3, text: ""))
        } completion: { _ in
            done.change { $0 += 1 }
        }
        #expect(hasRun.wait { $0 } == 2)
        #expect(try store.all(Note.self).map(\.id) == [1])
        #expect(store.sequence == 1)
        nodes.gate.change { $0 = true }
        done.wait { $0 == 2 ? () : nil }
        #expect(try store.all(Note.self).map(\.id) == [1, 2, 3])
    }

    @Test func `forgets what was not acknowledged when it is deposed`() async throws {
        let (first, second) = (try nodes.store("one"), try nodes.store("two"))
        try insert(1, in: first)
        // The server forgets who has the turn, and the other node is faster.
        nodes.gate.change { $0 = false }
        let lost = Task.detached { [self] in try insert(2, in: first, "lost") }
        nodes.quorum.restart()
        nodes.gate.change { $0 = true }
        try await second.wait(for: 1)
        let outcome = await lost.result
        if case .failure(let error) = outcome {
            #expect((error as? StoreError)?.code == .alreadyOpen)
            #expect(try first.get(Note.self, 2) == nil)
        }
        let writer = first.isWriter ? first : second
        try await writer.waitUntilWriter()
        try insert(3, in: writer)
        for store in [first, second] {
            try await store.wait(for: writer.sequence)
            #expect(try store.snapshot.digest() == writer.snapshot.digest())
        }
    }

    @Test func `fails a queued write that is lost with the turn`() throws {
        let store = try nodes.store("one")
        try insert(1, in: store)
        nodes.gate.change { $0 = false }
        let (hasRun, results) = (Monitor(false), Monitor<[StoreError.Code?]>([]))
        @Sendable func note(_ result: Result<Receipt, any Error>) {
            var code: StoreError.Code?
            if case .failure(let error) = result { code = StoreError.wrapping(error).code }
            results.change { $0.append(code) }
        }
        func write(_ id: Int) {
            store.writeAsync {
                try $0.insert(Note(id: id, text: ""))
            } completion: {
                note($0)
            }
        }
        // The first one is on its way, the second one waits for it.
        let count = nodes.begun.withLock { $0 }
        write(2)
        nodes.begun.wait { $0 > count ? () : nil }
        write(3)
        store.writeAsync { _ in
            hasRun.change { $0 = true }
        } completion: { _ in
        }
        hasRun.wait { $0 ? () : nil }
        store.session.engine.shared?.endTurn(.notTheWriter("two"))
        nodes.gate.change { $0 = true }
        let codes = results.wait { $0.count == 2 ? $0 : nil }
        #expect(codes.contains(.alreadyOpen))
        #expect(nodes.quorum.batches.count == 1 + codes.count { $0 == nil })
    }

    @Test func `gives up its turn while it is suspended`() async throws {
        let (first, second) = (try nodes.store("one"), try nodes.store("two"))
        try insert(1, in: first)
        first.suspend()
        #expect(!first.isWriter)
        #expect(failure(as: StoreError.self) { try insert(2, in: first) }?.code == .suspended)
        let latest = await #expect(throws: StoreError.self) { try await first.readLatest() }
        #expect(latest?.code == .suspended)
        try await second.waitUntilWriter()
        try insert(2, in: second)
        // It keeps what it had, and its files.
        #expect(try first.all(Note.self).map(\.id) == [1])
        try first.resume()
        try await first.wait(for: 2)
        #expect(try first.all(Note.self).map(\.id) == [1, 2])
        #expect(failure(as: StoreError.self) { try insert(3, in: first) }?.code == .alreadyOpen)
        try second.close()
        try await first.waitUntilWriter()
        try insert(3, in: first)
        #expect(nodes.quorum.batches.count == 3)
    }

    @Test func `shows each event on the same stack`() throws {
        let store = try nodes.store("one")
        // The thread that syncs from time to time shows some of them.
        let places = Locked<[ThreadID: [Int]]>([:])
        let publication = try #require(store.session.publication)
        publication.observe { _ in
            places.withLock { $0[.current, default: []].append(StackPointer.current) }
        }
        for id in 1...500 { try insert(id, in: store) }
        let all = places.withLock { Array($0.values) }
        #expect(all.flatMap { $0 }.count == 500)
        #expect(all.allSatisfy { $0.spread < 16_000 })
    }

    @Test func `writes again as soon as it is resumed`() throws {
        let store = try nodes.store("one")
        for id in 1...100 {
            store.suspend()
            try store.resume()
            try insert(id, in: store)
        }
    }

    @Test func `is opened with its copy of the log`() throws {
        let disk = SimulatedDisk()
        var store: Store? = try nodes.store("one", on: disk)
        for id in 1...50 { try insert(id, in: try #require(store)) }
        try store?.close()
        store = nil
        let again = try nodes.store("one", on: disk.killed())
        #expect(again.sequence == 50)
        #expect(again.recovery.historyReplacedAfter == nil)
        try again.close()
        // Nothing else may write it.
        let error = failure(as: StoreError.self) {
            _ = try Store(Schema([Note.self]), Store.Options(), Environment(disk: disk.killed()))
        }
        #expect(error?.code == .foreignStore)
        #expect(try Archive(on: disk.killed()).sequence == 50)
    }

    @Test func `takes no directory with a store that is not on the server`() throws {
        let disk = SimulatedDisk()
        let local = try Store(Schema([Note.self]), Store.Options(), Environment(disk: disk))
        try insert(1, in: local)
        try local.close()
        let error = failure(as: StoreError.self) { _ = try nodes.store("one", on: disk.killed()) }
        #expect(error?.code == .foreignStore)
        #expect(nodes.quorum.batches.isEmpty)
    }

    @Test func `begins again when the server has another history`() async throws {
        let reports = Monitor<[StoreError]>([])
        var options = Store.Options()
        options.onError = { error in
            if let error = error as? StoreError { reports.change { $0.append(error) } }
        }
        let (first, second) = (
            try nodes.store("one", .automatic, on: SimulatedDisk(), options),
            try nodes.store("two", .reader, on: SimulatedDisk(), options)
        )
        for id in 1...5 { try insert(id, in: first) }
        try await second.wait(for: 5)
        let (before, changes) = (second.snapshot, second.changes(of: Note.self))
        nodes.quorum.restore(batchCount: 3)
        // The writer notices, too, although it writes nothing.
        reports.wait { $0.count { $0.code == .historyChanged } == 2 ? () : nil }
        let places = reports.withLock { $0.filter { $0.code == .historyChanged } }.map(\.place)
        #expect(places.map(\.sequences) == [4...5, 4...5])
        try await first.waitUntilWriter()
        #expect(try first.all(Note.self).map(\.id) == [1, 2, 3])
        try insert(7, in: first, "another history")
        #expect(first.sequence == 4)
        // A stream is that of one history.
        await #expect(throws: StoreError.self) { for try await _ in changes {} }
        while try second.get(Note.self, 7) == nil { try await second.wait(for: 4) }
        #expect(try second.snapshot.digest() == first.snapshot.digest())
        #expect(second.snapshot.chainHash == first.snapshot.chainHash)
        #expect(try second.history(of: Note.self, 7).count == 1)
        // What was taken stays as it is.
        #expect(try before.all(Note.self).map(\.id) == [1, 2, 3, 4, 5])
        try first.close()
        try second.close()
    }

    @Test func `reads the latest of all nodes if it is asked to`() async throws {
        let (writer, reader) = (try nodes.store("one"), try nodes.store("two", .reader))
        for id in 1...20 {
            try insert(id, in: writer)
            #expect(try await reader.readLatest().get(Note.self, id) != nil)
        }
        let all = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await reader.readLatest().count(Note.self) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all == [Int](repeating: 20, count: 20))
        #expect(try await writer.readLatest().sequence == 20)
        let status = try #require(reader.nodeStatus)
        #expect(!status.isWriter && status.writer == "one" && status.lastContact != nil)
        try reader.close()
        await #expect(throws: StoreError.self) { try await reader.readLatest() }
    }

    @Test func `compresses what it has written on the server`() async throws {
        let writer = try nodes.store("one", pollMilliseconds: 1) { options in
            (options.unsealedCountMax, options.keptCount, options.frameBytes) = (20, 5, 400)
        }
        for id in 1...100 { try insert(id, in: writer) }
        while nodes.quorum.frameCount == 0 {
            try insert(200 + nodes.quorum.batches.count, in: writer)
        }
        let late = try nodes.store("two", .reader)
        #expect(try late.snapshot.digest() == writer.snapshot.digest())
        #expect(try Array(late.events()).count == Int(writer.sequence.rawValue))
    }

    @Test func `whose clock is ahead may read only`() throws {
        let nodes = SimulatedNodes(clockLag: 3_600_000_000)
        let error = failure(as: StoreError.self) { _ = try nodes.store("one") }
        #expect(error?.code == .clockAhead)
        #expect(try nodes.store("two", .reader).sequence == 0)
    }

    @Test func `makes no store on a server before all is checked`() throws {
        let behind = SimulatedNodes(clockLag: 3_600_000_000)
        behind.quorum.hasLog = false
        #expect(failure(as: StoreError.self) { _ = try behind.store("one") }?.code == .clockAhead)
        #expect(!behind.quorum.hasLog)
        // The copy of another log, and a store in files.
        let (copy, files) = (SimulatedDisk(), SimulatedDisk())
        try nodes.store("one", on: copy).close()
        try Store(Schema([Note.self]), Store.Options(), Environment(disk: files)).close()
        let other = SimulatedNodes(seed: 6)
        other.quorum.hasLog = false
        for disk in [copy, files] {
            let error = failure(as: StoreError.self) {
                _ = try other.store("one", on: disk.killed())
            }
            #expect(error?.code == .foreignStore)
            #expect(!other.quorum.hasLog)
        }
        try insert(1, in: try other.store("one"))
        #expect(other.quorum.hasLog)
    }

    @Test func `takes events above its limit that others have written`() async throws {
        let (large, disk) = (String(repeating: "x", count: 2_000), SimulatedDisk())
        var options = Store.Options()
        options.eventBytesMax = 1_000
        let writer = try nodes.store("one")
        try insert(1, in: writer, large)
        // At the opening, as the writer's news, and in its place.
        let next = try nodes.store("two", on: disk, options)
        try insert(2, in: writer, large)
        try await next.wait(for: 2)
        try writer.close()
        try await next.waitUntilWriter()
        let error = failure(as: StoreError.self) { try insert(3, in: next, large) }
        #expect(error?.code == .limitExceeded)
        try insert(4, in: next)
        try next.close()
        let again = try nodes.store("two", on: disk.killed(), options)
        #expect(try again.all(Note.self).map(\.id) == [1, 2, 4])
    }

    @Test func `erases and prunes nothing`() throws {
        let store = try nodes.store("one")
        try insert(1, in: store)
        for body in [
            { try store.nuke() }, { try store.destroy() },
            { _ = try store.prune(before: .distantFuture) },
        ] as [() throws -> Void] {
            let error = failure(as: StoreError.self) { try body() }
            #expect(error?.code == .invalidInput)
        }
        #expect(try store.get(Note.self, 1) != nil)
        var options = Store.Options()
        options.retention = .keep(.days(90))
        let error = failure(as: StoreError.self) {
            _ = try nodes.store("two", .automatic, on: SimulatedDisk(), options)
        }
        #expect(error?.code == .invalidInput)
    }

    @Test func `handles the events of a subscription if it writes`() async throws {
        let (handled, last) = (Locked<[String]>([]), EventSignal(.zero))
        func subscribe(_ store: Store, _ name: String) throws -> Subscription {
            try store.subscribe("mail") { event in
                handled.withLock { $0.append("\(name) \(event.sequence)") }
                last.raise(event.sequence)
            }
        }
        let (first, next) = (try nodes.store("one"), try nodes.store("two"))
        try first.setPosition(ofSubscription: "mail", to: 0)
        let subscriptions = (try subscribe(first, "one"), try subscribe(next, "two"))
        for id in 1...3 { try insert(id, in: first) }
        #expect(await last.wait(after: 2))
        try await next.wait(for: 3)
        try first.close()
        try await next.waitUntilWriter()
        for id in 4...5 { try insert(id, in: next) }
        #expect(await last.wait(after: 4))
        // Events whose position was not written yet come again: none is left out.
        let all = handled.withLock { $0 }
        #expect(all.filter { $0.hasPrefix("one") } == ["one 1", "one 2", "one 3"])
        let second = all.filter { $0.hasPrefix("two") }
        #expect(second == (1...5).map { "two \($0)" }.suffix(second.count) && second.count >= 2)
        #expect(all == ["one 1", "one 2", "one 3"] + second)
        withExtendedLifetime(subscriptions) {}
        try next.close()
    }
}
