import SkyrosDisk

/// What a simulation leaves to chance: numbers that follow from a seed, so that a run can be
/// repeated, and shortened when it fails.
///
///     let table = choose(12)          // 0 to 11
///     if choose(3) == 0 { … }         // every third time
///
/// It may be used from any thread, but only on one does the same seed mean the same run.
public final class Choices: Sendable {
    private struct State: Sendable {
        var generator: SplitMix64?
        var replayed: ArraySlice<UInt64>
        var taken: [UInt64] = []
    }

    private let state: Locked<State>

    /// Numbers that follow from a seed.
    public init(seed: UInt64) {
        state = Locked(State(generator: SplitMix64(seed: seed), replayed: []))
    }

    /// These numbers, and zeros behind them.
    package init(replaying numbers: [UInt64]) {
        state = Locked(State(generator: nil, replayed: numbers[...]))
    }

    /// A number from 0 up to, not including, `limit`, which is at least 1.
    public func callAsFunction(_ limit: Int) -> Int {
        Int(next() % UInt64(max(1, limit)))
    }

    /// All numbers that were taken so far.
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
