import Dispatch
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

/// Write blocks of several stores within each other. A watchdog ends the test if they deadlock.
@Suite(.mayHang) struct `Write blocks of several stores` {
    private let stores: [Store]

    init() throws {
        stores = try (0..<3).map { _ in try Store(inMemory: Counter.self) }
    }

    /// Runs a block of each store in `first`, and within it one of the store beside it, all at the
    /// same time; returns the codes of their errors.
    private func nest(_ pairs: [(outer: Int, inner: Int)]) async -> [StoreError.Code] {
        let arrived = Monitor(0)
        let codes = Locked<[StoreError.Code]>([])
        let ended = Monitor(0)
        for (outer, inner) in pairs {
            let queue = DispatchQueue(label: "writer")
            queue.async { [stores] in
                let error = failure(as: StoreError.self) {
                    try stores[outer].write { tx in
                        try tx.insert(Counter(id: "\(outer)\(inner)", value: 1))
                        // Each holds its store before any wants the next.
                        arrived.change { $0 += 1 }
                        arrived.wait { $0 >= pairs.count ? () : nil }
                        try stores[inner].write { try $0.upsert(Counter(id: "x", value: inner)) }
                    }
                }
                if let error { codes.withLock { $0.append(error.code) } }
                ended.change { $0 += 1 }
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "waiter").async {
                ended.wait { $0 == pairs.count ? () : nil }
                continuation.resume()
            }
        }
        return codes.withLock { $0 }
    }

    @Test func `that wait for each other end with an error (F47)`() async throws {
        for _ in 0..<20 {
            let codes = await nest([(0, 1), (1, 0)])
            // One gives way, and the other continues.
            #expect(codes == [.writeCycle])
            try stores[0].writeSync { _ = try $0.deleteAll(Counter.self) }
            try stores[1].writeSync { _ = try $0.deleteAll(Counter.self) }
        }
    }

    @Test func `that wait in a ring of three end with an error (F47)`() async throws {
        for _ in 0..<20 {
            #expect(await nest([(0, 1), (1, 2), (2, 0)]) == [.writeCycle])
            for store in stores { try store.writeSync { _ = try $0.deleteAll(Counter.self) } }
        }
    }

    @Test func `on the stores' own threads end with an error too (F47)`() async throws {
        let arrived = Monitor(0)
        let (a, b) = (stores[0], stores[1])
        @Sendable func nest(_ outer: Store, _ inner: Store) async -> StoreError.Code? {
            do {
                try await outer.write { tx in
                    arrived.change { $0 += 1 }
                    arrived.wait { $0 >= 2 ? () : nil }
                    try tx.insert(Counter(id: "own", value: 1))
                    try inner.write { try $0.insert(Counter(id: "other", value: 1)) }
                }
                return nil
            } catch {
                return (error as? StoreError)?.code
            }
        }
        async let first = nest(a, b)
        async let second = nest(b, a)
        let codes = await [first, second]
        #expect(codes.compactMap(\.self) == [.writeCycle])
    }

    @Test func `in one order wait for each other and succeed (F47)`() async throws {
        let (a, b) = (stores[0], stores[1])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for index in 0..<50 {
                        try await a.write { tx in
                            try tx.insert(Counter(id: "\(number)-\(index)", value: 1))
                            try b.write {
                                try $0.insert(Counter(id: "\(number)-\(index)", value: 1))
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try a.count(Counter.self) == 200 && b.count(Counter.self) == 200)
    }
}
