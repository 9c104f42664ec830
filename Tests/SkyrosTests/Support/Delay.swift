/// What makes the moment of a kill or of a power cut as random as a number.
enum Delay {
    /// Keeps the processor busy for so long: a thread that sleeps wakes when the system sees fit.
    static func spin(microseconds: Int) {
        let end = ContinuousClock.now + .microseconds(microseconds)
        while ContinuousClock.now < end {}
    }
}
