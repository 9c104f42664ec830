/// The benchmark cannot go on, or a side did not do the work it was measured for.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Throws unless both are equal.
    static func check<T: Equatable>(_ actual: T, _ expected: T, _ what: String) throws {
        guard actual == expected else {
            throw BenchmarkError("\(what): \(actual) instead of \(expected)")
        }
    }
}
