/// The wall clock, as an argument, so that tests can set it.
package protocol WallClock: Sendable {
    /// Microseconds since 1970, UTC. May jump in both directions.
    func nowMicroseconds() -> Int64
}

/// The wall clock of the machine.
package struct SystemClock: WallClock {
    package init() {}

    package func nowMicroseconds() -> Int64 {
        System.wallClockMicroseconds()
    }
}

/// A source of random numbers, as an argument, so that tests can repeat them.
package protocol Entropy: Sendable {
    func next() -> UInt64
}

/// The random numbers of the operating system.
package struct SystemEntropy: Entropy {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

/// The dependencies of a store: disk, clock and randomness.
package struct Environment: Sendable {
    package let disk: any Disk
    package let clock: any WallClock
    package let entropy: any Entropy
    /// How long the store waits for a checkpoint that another connection has locked.
    package let lockTimeoutMilliseconds: Int32

    package init(
        disk: any Disk, clock: any WallClock = SystemClock(),
        entropy: any Entropy = SystemEntropy(), lockTimeoutMilliseconds: Int32 = 5_000
    ) {
        self.lockTimeoutMilliseconds = lockTimeoutMilliseconds
        self.disk = disk
        self.clock = clock
        self.entropy = entropy
    }
}
