import Foundation
import SkyrosDisk
import Testing

@testable import Skyros

@Suite struct `The writer lock` {
    @Test func `refuses a queued block for which there is no thread (F76)`() throws {
        let lock = WriterLock(queue: SerialQueue { _ in EAGAIN })
        #expect(throws: ThreadShortage.self) { try lock.enqueue { Issue.record("it runs") } }
        // Synchronous writes need no thread.
        try lock.lock()
        lock.unlock()
    }
}
