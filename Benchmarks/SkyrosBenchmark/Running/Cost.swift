import Foundation

/// What some work took: seconds on the clock, and seconds of all processors together.
///
/// Both, because a side may leave a part of its work to a second processor.
struct Cost: Codable, Sendable {
    var wall = 0.0
    var cpu = 0.0

    /// The seconds on the clock, and of this process, so far.
    static var now: Cost {
        Cost(wall: seconds(of: CLOCK_MONOTONIC), cpu: seconds(of: CLOCK_PROCESS_CPUTIME_ID))
    }

    static func measure(_ body: () throws -> Void) rethrows -> Cost {
        let wall = seconds(of: CLOCK_MONOTONIC)
        let cpu = seconds(of: CLOCK_PROCESS_CPUTIME_ID)
        try body()
        return Cost(
            wall: seconds(of: CLOCK_MONOTONIC) - wall,
            cpu: seconds(of: CLOCK_PROCESS_CPUTIME_ID) - cpu)
    }

    /// Seconds of all processors since this process started.
    static var cpuOfProcess: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    static func + (left: Cost, right: Cost) -> Cost {
        Cost(wall: left.wall + right.wall, cpu: left.cpu + right.cpu)
    }

    static func - (left: Cost, right: Cost) -> Cost {
        Cost(wall: left.wall - right.wall, cpu: left.cpu - right.cpu)
    }

    static func += (left: inout Cost, right: Cost) {
        left = left + right
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
