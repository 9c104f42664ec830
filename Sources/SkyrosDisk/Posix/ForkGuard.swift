import Synchronization

/// The process that created an object. A forked child shares the open files and the lock of that
/// process, and must not use them.
struct ForkGuard: Sendable {
    /// The number of forks between the first process and this one.
    private static let forkCount = Atomic(0)
    private static let isCounting: Void = System.inEachForkedChild {
        ForkGuard.forkCount.add(1, ordering: .relaxed)
    }

    private let number: Int

    init() {
        Self.isCounting
        number = Self.forkCount.load(ordering: .relaxed)
    }

    /// Whether this is that process, not a forked child of it.
    var isCurrent: Bool { Self.forkCount.load(ordering: .relaxed) == number }

    /// Throws in a forked child.
    func check(
        _ operation: DiskError.Operation, _ path: @autoclosure () -> String
    ) throws(DiskError) {
        guard isCurrent else {
            throw DiskError(
                operation, path(), .locked(holder: "the parent of this forked process"))
        }
    }
}
