public import Skyros

/// A test of your code on a simulated disk that fails and crashes at random moments.
///
///     @Test func `a sale is never half recorded`() throws {
///         try CrashSimulation(of: Order.self, Stock.self) { store, choose in
///             try Shop(store).sell(choose(12))
///         }
///         .checking("what was sold is not in stock") { state in
///             try Shop.isBalanced(state)
///         }
///         .run(seeds: 1...500)
///     }
///
/// Each seed determines a run of three sessions on one simulated disk. A session opens the store,
/// which may crash up to three times, calls your step repeatedly, and ends with a crash. Disk
/// operations fail on the way. After each opening the simulation checks that the store:
///
/// - holds every event that a write had promised to keep,
/// - lost events only from the end, and holds only events that were written,
/// - has a view that is the fold of the log,
/// - satisfies your conditions.
///
/// `run(seeds:)` throws a `CrashFailure` with the seed and the shortest failing run that was found.
/// A step must do all its work on its own thread, and be done when it returns.
public struct CrashSimulation: Sendable {
    /// A step: calls your code on the store, and takes every random decision from `choose`. It may
    /// rethrow any `StoreError`; any other error is a failure. So is an error of the disk, such as
    /// `.io`, or of damage, if the disk has not failed.
    public typealias Step = @Sendable (_ store: Store, _ choose: Choices) throws -> Void

    struct Condition: Sendable {
        let name: String
        let holds: @Sendable (Snapshot) throws -> Bool
    }

    let entities: [any Entity.Type]
    let options: Store.Options
    let step: Step
    private(set) var conditions: [Condition] = []

    /// The maximum number of runs that shrinking tries.
    private static let shrinkingAttemptsMax = 1_000

    /// Creates a simulation of a store of these entities.
    ///
    /// - Parameters:
    ///   - entities: the types that the store is opened with.
    ///   - options: the options of the store; `syncInterval` and `openingTarget` are ignored.
    ///   - step: called up to 24 times in each session.
    public init(
        of entities: any Entity.Type..., options: Store.Options = Store.Options(),
        step: @escaping Step
    ) {
        self.entities = entities
        self.options = options
        self.step = step
    }

    /// Also checks a condition after every opening and every step.
    ///
    /// - Parameters:
    ///   - name: describes the condition in the message of a failure.
    ///   - holds: returns whether the condition holds in a state.
    public func checking(
        _ name: String, _ holds: @escaping @Sendable (Snapshot) throws -> Bool
    ) -> CrashSimulation {
        var copy = self
        copy.conditions.append(Condition(name: name, holds: holds))
        return copy
    }

    /// Runs the simulation once per seed.
    ///
    /// - Returns: counts of what was tried.
    /// - Throws: `CrashFailure` for the first seed that fails.
    @discardableResult
    public func run(seeds: ClosedRange<UInt64>) throws -> CrashTally {
        var total = CrashTally()
        for seed in seeds {
            let choices = Choices(seed: seed)
            do {
                total += try run(choices)
            } catch let failure as CrashFailure {
                var shortest = shrunk(choices.taken) ?? failure
                shortest.seed = seed
                throw shortest
            }
        }
        return total
    }

    private func run(_ choices: Choices) throws -> CrashTally {
        var run = CrashSimulationRun(of: self, choices)
        return try run.run()
    }

    /// The failure of the shortest failing run that shrinking finds.
    private func shrunk(_ numbers: [UInt64]) -> CrashFailure? {
        func failure(_ numbers: [UInt64]) -> CrashFailure? {
            do {
                _ = try run(Choices(replaying: numbers))
                return nil
            } catch {
                return error as? CrashFailure
            }
        }
        let shortest = ChoiceShrinking.shrink(
            numbers, attemptsMax: Self.shrinkingAttemptsMax, fails: { failure($0) != nil })
        return failure(shortest)
    }
}
