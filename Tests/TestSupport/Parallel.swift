import Foundation
import SkyrosDisk

/// Calls `body` with each index below `count`, on `threadCount` threads. By default that is one
/// more than there are processors, as some will wait for the background thread of a store.
package func inParallel(
    _ count: Int, threads threadCount: Int = ProcessInfo.processInfo.activeProcessorCount + 1,
    _ body: @escaping @Sendable (Int) -> Void
) {
    let taken = Locked(0)
    let ended = Monitor(0)
    for _ in 0..<threadCount {
        Thread.detachNewThread {
            while let index = taken.withLock({ next(&$0, below: count) }) { body(index) }
            ended.change { $0 += 1 }
        }
    }
    ended.wait { $0 == threadCount ? () : nil }
}

private func next(_ taken: inout Int, below count: Int) -> Int? {
    guard taken < count else { return nil }
    defer { taken += 1 }
    return taken
}
