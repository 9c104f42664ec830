public import Skyros
import SkyrosDisk

/// A clock that only moves when the test advances it.
public final class ManualClock: Sendable {
    private let microseconds: Locked<Int64>

    /// Creates a clock at a time in microseconds since 1970.
    public init(microseconds: Int64 = 1_700_000_000_000_000) {
        self.microseconds = Locked(microseconds)
    }

    /// Moves the clock; a negative step moves it back.
    public func advance(byMicroseconds step: Int64) {
        microseconds.withLock { $0 += step }
    }
}

extension ManualClock: WallClock {
    package func nowMicroseconds() -> Int64 { microseconds.withLock { $0 } }
}

/// A deterministic source of random numbers.
package final class SeededEntropy: Entropy {
    private let generator: Locked<SplitMix64>

    package init(seed: UInt64) {
        generator = Locked(SplitMix64(seed: seed))
    }

    package func next() -> UInt64 { generator.withLock { $0.next() } }
}

extension Store {
    /// Opens the store on a simulated disk, or creates it.
    ///
    /// - Parameters:
    ///   - disk: the disk; it holds one store.
    ///   - entities: the types that the store is opened with.
    ///   - options: the options of the store.
    ///   - clock: the source of event times.
    ///   - seed: the seed of all random numbers in the store, such as its id.
    /// - Throws: `StoreError`, as `Store(at:entities:)`.
    public convenience init(
        on disk: SimulatedDisk, entities: any Entity.Type..., options: Options = Options(),
        clock: ManualClock = ManualClock(), seed: UInt64 = 1
    ) throws {
        let environment = Environment(
            disk: disk, clock: clock, entropy: SeededEntropy(seed: seed))
        var options = options
        // Its calls would come at other moments in each run.
        options.scrubInterval = nil
        try self.init(Schema(entities), options, environment)
    }
}

extension Archive {
    /// Opens the store on a simulated disk for reading.
    ///
    /// - Parameter entities: the types whose indexes the snapshots have; none are needed.
    public convenience init(
        on disk: SimulatedDisk, entities: [any Entity.Type] = []
    ) throws {
        let environment = Environment(disk: disk, entropy: SeededEntropy(seed: 1))
        try self.init(on: environment, entities: entities)
    }
}
