import SkyrosDisk

/// The random choices of a simulation. They follow from a seed, so that a run can be repeated, and
/// shrunk when it fails.
///
///     let table = choose(12)          // 0 to 11
///     if choose(3) == 0 { … }         // every third time
///
/// Safe to use from any thread, but runs are only repeatable if one thread makes all choices.
public final class Choices: Sendable {
    private struct State: Sendable {
        var generator: SplitMix64?
        var replayed: ArraySlice<UInt64>
        var taken: [UInt64] = []
    }

    private let state: Locked<State>

    /// Choices that follow from a seed.
    public init(seed: UInt64) {
        state = Locked(State(generator: SplitMix64(seed: seed), replayed: []))
    }

    /// These choices, and then zeros.
    package init(replaying numbers: [UInt64]) {
        state = Locked(State(generator: nil, replayed: numbers[...]))
    }

    /// A number in `0..<limit`; 0 if `limit` is below 1.
    public func callAsFunction(_ limit: Int) -> Int {
        Int(next() % UInt64(max(1, limit)))
    }

    /// All choices made so far.
    package var taken: [UInt64] { state.withLock { $0.taken } }
}

extension Choices: Entropy {
    package func next() -> UInt64 {
        state.withLock { state in
            let number = state.generator?.next() ?? state.replayed.popFirst() ?? 0
            state.taken.append(number)
            return number
        }
    }
}
