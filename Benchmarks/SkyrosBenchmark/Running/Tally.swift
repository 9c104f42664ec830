import Synchronization

/// A sum that several threads add to.
final class Tally: Sendable {
    private let sum = Atomic(0)

    func add(_ number: Int) {
        sum.add(number, ordering: .relaxed)
    }

    /// Adds one, and returns the sum.
    func next() -> Int {
        sum.add(1, ordering: .relaxed).newValue
    }

    var value: Int { sum.load(ordering: .relaxed) }
}
