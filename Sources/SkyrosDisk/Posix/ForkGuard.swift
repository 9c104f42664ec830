import Synchronization

/// The process in which something was made. A copy of the process, as `fork` makes one, shares its
/// open files and its lock, and must not touch them.
struct ForkGuard: Sendable {
    /// How often this process was copied on its way from the first one.
    private static let copyCount = Atomic(0)
    private static let isCounting: Void = System.inEachCopyOfTheProcess {
        ForkGuard.copyCount.add(1, ordering: .relaxed)
    }

    private let number: Int

    init() {
        Self.isCounting
        number = Self.copyCount.load(ordering: .relaxed)
    }

    /// Whether this is still that process, and no copy of it.
    var isCurrent: Bool { Self.copyCount.load(ordering: .relaxed) == number }

    /// Refuses a copy of the process.
    func check(
        _ operation: DiskError.Operation, _ path: @autoclosure () -> String
    ) throws(DiskError) {
        guard isCurrent else {
            throw DiskError(
                operation, path(), .locked(holder: "the process of which this is a copy"))
        }
    }
}
