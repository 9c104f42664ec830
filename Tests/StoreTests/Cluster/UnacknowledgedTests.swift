import Foundation
import SkyrosDisk
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

/// What no caller may learn before other machines have it.
@Suite(.mayHang) struct `An event that is not acknowledged yet` {
    private let nodes = SimulatedNodes()

    private func code(_ result: Result<some Any, any Error>) -> StoreError.Code? {
        if case .failure(let error) = result { StoreError.wrapping(error).code } else { nil }
    }

    private func insert(_ id: Int) -> @Sendable (inout WriteTransaction) throws -> Void {
        { try $0.insert(Note(id: id, text: "")) }
    }

    @Test func `is not shown by the error of a queued block`() throws {
        let store = try nodes.store("one")
        let outcomes = Monitor<[StoreError.Code?]>([])
        @Sendable func note(_ result: Result<Receipt, any Error>) {
            outcomes.change { $0.append(code(result)) }
        }
        nodes.loseTurn(of: store) {
            store.writeAsync(once: "key", insert(1)) { _ in }
            store.writeAsync(insert(1), completion: note)
            store.writeAsync(expecting: .sequence(0), insert(2), completion: note)
            // The key is that of another write.
            store.writeAsync(once: "key", intent: Named(), insert(3), completion: note)
        }
        let codes = outcomes.wait { $0.count == 3 ? $0 : nil }
        #expect(codes.allSatisfy { $0 == .alreadyOpen }, "\(codes)")
    }

    @Test func `is not shown by the error of a thread`() throws {
        let store = try nodes.store("one")
        let reached = Monitor(0)
        // Of a record that is there, but not acknowledged.
        let again: @Sendable (inout WriteTransaction) throws -> Void = { tx in
            reached.change { $0 += 1 }
            try tx.insert(Note(id: 1, text: ""))
        }
        let forms: [@Sendable () throws -> Void] = [
            { try store.write(again) }, { _ = try store.write(once: "key", again) },
            { try store.writeConcurrently { tx in try again(&tx) } },
        ]
        let outcomes = Monitor<[StoreError.Code?]>([])
        nodes.loseTurn(of: store) {
            let isWritten = Monitor(false)
            store.writeAsync(insert(1)) { _ in }
            store.writeAsync { _ in
                isWritten.change { $0 = true }
            } completion: { _ in
            }
            isWritten.wait { $0 ? () : nil }
            for form in forms {
                Thread.detachNewThread {
                    let result = Result { try form() }
                    outcomes.change { $0.append(code(result)) }
                }
            }
            reached.wait { $0 == forms.count ? () : nil }
        }
        let codes = outcomes.wait { $0.count == forms.count ? $0 : nil }
        #expect(codes.allSatisfy { $0 == .alreadyOpen }, "\(codes)")
    }

    @Test func `blocks no thread of the pool for those who have only read it`() async throws {
        let store = try nodes.store("one")
        let count = ProcessInfo.processInfo.activeProcessorCount + 2
        nodes.gate.change { $0 = false }
        let former = nodes.begun.withLock { $0 }
        store.writeAsync(insert(1)) { _ in }
        while nodes.begun.withLock({ $0 }) == former { await Task.yield() }
        let begun = Monitor(0)
        let tasks = (0..<count).map { _ in
            Task {
                try await store.writeConcurrently { tx in
                    begun.change { $0 += 1 }
                    return try tx.count(Note.self)
                }
            }
        }
        while begun.withLock({ $0 }) < count { await Task.yield() }
        nodes.gate.change { $0 = true }
        for task in tasks { #expect(try await task.value == 1) }
    }

    @Test func `is waited for by a block of a data store, which reads the store`() throws {
        let store = try nodes.store("one", of: [Counter.self])
        let data: any DataStore = store
        try store.write { try $0.insert(Counter(id: "a", value: 1)) }
        nodes.gate.change { $0 = false }
        let count = nodes.begun.withLock { $0 }
        store.writeAsync { tx in
            try tx.update(Counter.self, "a") { $0.value += 1 }
            try tx.insert(Counter(id: "b", value: 1))
        }
        nodes.begun.wait { $0 > count ? () : nil }
        let codes = Monitor<[StoreError.Code?]>([])
        let hasRun = Monitor(false)
        let blocks: [@Sendable (inout DataTransaction) throws -> Void] = [
            { try $0.update(Counter.self, "a") { $0.value += 1 } },
            { try $0.insert(Counter(id: "b", value: 2)) },
        ]
        for block in blocks {
            Thread.detachNewThread {
                let result = Result {
                    try data.transaction { tx in
                        hasRun.change { $0 = true }
                        try block(&tx)
                    }
                }
                codes.change { $0.append(code(result)) }
            }
        }
        #expect(hasRun.wait(atMost: 50) { $0 ? () : nil } == nil)
        nodes.gate.change { $0 = true }
        let found = codes.wait { $0.count == blocks.count ? $0 : nil }
        #expect(Set(found) == [nil, .duplicateID])
        #expect(try store.get(Counter.self, "a")?.value == 3)
        #expect(try store.get(Counter.self, "b")?.value == 1)
    }

    @Test func `is no other history because there was none before it`() throws {
        let store = try nodes.store("one")
        let head = LogHead(sequence: 0, chainHash: store.session.empty.chainHash)
        #expect(try store.session.hasHistory(through: head))
        try store.write(insert(1))
        #expect(try store.session.hasHistory(through: head))
        let newest = store.session.engine.head
        #expect(try store.session.hasHistory(through: newest))
        for sequence: UInt64 in [0, 1, 2] {
            let other = LogHead(sequence: sequence, chainHash: newest.chainHash.advanced(by: 1))
            #expect(try !store.session.hasHistory(through: other))
        }
    }
}

private struct Named: DomainCommand {}
