public import Skyros

/// Lives of a store that crashes again and again, for tests of code that stands on Skyros.
///
///     @Test func `a sale is never half there`() throws {
///         try CrashSimulation(of: Order.self, Stock.self) { store, choose in
///             try Shop(store).sell(choose(12))
///         }
///         .checking("what was sold is not in stock") { state in
///             try Shop.isBalanced(state)
///         }
///         .run(seeds: 1...500)
///     }
///
/// From a seed follow three lives on one simulated disk: your steps, a fault or a crash in the
/// middle of them, and up to three more crashes while the store is opened again. After each
/// opening the simulation compares the store with what it has seen: everything that a write had
/// promised is there, events are lost from the end only and are the ones that were written, the
/// view is the fold of the log, and your conditions hold.
///
/// A failure is a thrown `CrashFailure`, with the seed and the shortest run found that fails.
/// Work on the store must be done when a step returns, and each step on one thread.
public struct CrashSimulation: Sendable {
    /// Something that your code does with the store. What it leaves to chance comes from the
    /// choices. It may throw whatever `StoreError` the store throws; any other error is a failure.
    public typealias Step = @Sendable (_ store: Store, _ choose: Choices) throws -> Void

    struct Condition: Sendable {
        let name: String
        let holds: @Sendable (Snapshot) throws -> Bool
    }

    let entities: [any Entity.Type]
    let options: Store.Options
    let step: Step
    private(set) var conditions: [Condition] = []

    /// How many runs are tried for a shorter one.
    private static let shrinkingAttemptsMax = 500

    /// A simulation of a store of these entities.
    ///
    /// - Parameters:
    ///   - entities: the types that the store is opened with.
    ///   - options: how the store is opened; nothing runs at an interval.
    ///   - step: called up to 24 times in each life.
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
    ///   - name: what the condition says, for the failure's message.
    ///   - holds: whether the condition holds in the state that it is given.
    public func checking(
        _ name: String, _ holds: @escaping @Sendable (Snapshot) throws -> Bool
    ) -> CrashSimulation {
        var copy = self
        copy.conditions.append(Condition(name: name, holds: holds))
        return copy
    }

    /// Runs the simulation once for each seed.
    ///
    /// - Returns: how much was tried.
    /// - Throws: `CrashFailure` for the first seed that fails.
    @discardableResult
    public func run(seeds: ClosedRange<UInt64>) throws -> CrashTally {
        var total = CrashTally()
        for seed in seeds {
            let choices = Choices(seed: seed)
            do {
                total += try run(choices)
            } catch let failure as CrashFailure {
                var shortest = shortened(choices.taken) ?? failure
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

    /// The failure of the shortest run found that fails.
    private func shortened(_ numbers: [UInt64]) -> CrashFailure? {
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
