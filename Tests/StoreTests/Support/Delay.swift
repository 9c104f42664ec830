import Foundation

/// A delay of a random number of system calls: it randomises the moment of a kill or power cut.
enum Delay {
    /// Makes `callCount` system calls, each a fraction of a microsecond.
    static func spin(callCount: Int) {
        for _ in 0..<callCount { _ = getppid() }
    }
}
