import Foundation
import TestSupport
import Testing

/// How the tests themselves are run.
@Suite(.long) struct `What takes long` {
    @Test func `has a thread that is not the pool's`() {
        #expect(Thread.current.name == LongTests.threadName)
    }

    @Test func `has it in all that it begins`() async {
        let names = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<3 { group.addTask { Self.threadName() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names == Array(repeating: LongTests.threadName, count: 3))
    }

    private static func threadName() -> String? { Thread.current.name }
}
