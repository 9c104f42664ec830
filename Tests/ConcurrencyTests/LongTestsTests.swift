import TestSupport
import Testing

/// How the tests themselves are run.
@Suite(.long) struct `What takes long` {
    @Test func `has a thread that is not the pool's`() {
        #expect(LongTests.isOnOwnThread)
    }

    @Test func `has it in all that it begins`() async {
        let areOwn = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 { group.addTask { LongTests.isOnOwnThread } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(areOwn == [true, true, true])
    }
}
