import TestSupport
import Testing

/// Tests of the trait `.long`.
@Suite(.long) struct `A long test` {
    @Test func `runs on a dedicated thread, not on one of the pool`() {
        #expect(LongTests.isOnDedicatedThread)
    }

    @Test func `runs its child tasks on dedicated threads`() async {
        let areDedicated = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 { group.addTask { LongTests.isOnDedicatedThread } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(areDedicated == [true, true, true])
    }
}
