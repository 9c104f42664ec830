import SkyrosDisk

/// Frames of runs that were decompressed last.
final class FrameCache: Sendable {
    private struct Entry: Sendable {
        let run: Int
        let frame: Int
        let content: [UInt8]
    }

    private struct State: Sendable {
        /// The newest is the last one.
        var entries: [Entry] = []
        var byteCount = 0
        var runCount = 0
        var missCount = 0
    }

    /// The size of all, at most, but for one frame.
    private let byteCountMax: Int
    private let state = Locked(State())

    init(byteCountMax: Int = 1 << 20) {
        self.byteCountMax = byteCountMax
    }

    /// A number for the frames of a run that was opened.
    func nextNumber() -> Int {
        state.withLock { state in
            state.runCount += 1
            return state.runCount
        }
    }

    /// The number of frames that were decompressed.
    var missCount: Int { state.withLock { $0.missCount } }

    func content(of run: Int, _ frame: Int) -> [UInt8]? {
        state.withLock { state in
            let place = state.entries.lastIndex { $0.frame == frame && $0.run == run }
            guard let place else { return nil }
            let entry = state.entries.remove(at: place)
            state.entries.append(entry)
            return entry.content
        }
    }

    func insert(_ content: [UInt8], of run: Int, _ frame: Int) {
        state.withLock { state in
            state.missCount += 1
            state.byteCount += content.count
            state.entries.append(Entry(run: run, frame: frame, content: content))
            while state.byteCount > byteCountMax, state.entries.count > 1 {
                state.byteCount -= state.entries.removeFirst().content.count
            }
        }
    }
}
