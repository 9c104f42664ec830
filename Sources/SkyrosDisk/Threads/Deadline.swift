import SkyrosPlatform

/// A time of the monotonic clock.
package struct Deadline: Sendable {
    /// Milliseconds of that clock.
    private let time: Int
    /// A day: what waits for longer looks again.
    private static let waitMax = 86_400_000

    package init(afterMilliseconds milliseconds: Int) {
        let (time, overflows) = Self.now.addingReportingOverflow(milliseconds)
        self.time = overflows ? .max : time
    }

    package var hasPassed: Bool { Self.now >= time }

    /// How long to wait for it, at most a day.
    package var millisecondsLeft: Int { min(max(0, time - Self.now), Self.waitMax) }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
