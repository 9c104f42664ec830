import Foundation

/// What makes the moment of a kill or of a power cut as random as a number.
enum Delay {
    /// Keeps the processor busy with so many calls of the system, each a fraction of a microsecond.
    static func spin(callCount: Int) {
        for _ in 0..<callCount { _ = getppid() }
    }
}
