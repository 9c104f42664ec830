/// Shrinks the choices of a failing run to fewer and smaller ones that fail too.
///
/// It removes chunks, the longest first, then reduces numbers, and repeats this while it helps. At
/// last it tries small numbers one by one: a fault that comes earlier may need fewer steps, but has
/// to come at one of few moments. It shrinks the choices and not the operations, so that every
/// attempt is a possible run. Source: MacIver and Donaldson, "Test-Case Reduction via Test-Case
/// Generation", ECOOP 2020.
package struct ChoiceShrinking {
    private let attemptsMax: Int
    private static let smallMax: UInt64 = 64
    private let fails: ([UInt64]) -> Bool
    private var attempts = 0
    private var numbers: [UInt64]

    /// The fewest and smallest numbers found for which `fails` returns true, as for `numbers`.
    ///
    /// - Parameter attemptsMax: the maximum number of calls of `fails`.
    package static func shrink(
        _ numbers: [UInt64], attemptsMax: Int, fails: @escaping ([UInt64]) -> Bool
    ) -> [UInt64] {
        var shrinking = ChoiceShrinking(attemptsMax: attemptsMax, fails: fails, numbers: numbers)
        while shrinking.shrinkOnce() {}
        return shrinking.numbers
    }

    private init(attemptsMax: Int, fails: @escaping ([UInt64]) -> Bool, numbers: [UInt64]) {
        self.attemptsMax = attemptsMax
        self.fails = fails
        self.numbers = numbers
    }

    /// Tries each reduction once; returns whether one succeeded and attempts are left.
    private mutating func shrinkOnce() -> Bool {
        let before = numbers
        var length = max(1, numbers.count / 2)
        while true {
            removeChunks(of: length)
            if length == 1 { break }
            length /= 2
        }
        for index in numbers.indices.reversed() where index < numbers.count {
            reduceNumber(at: index)
        }
        if numbers == before {
            for index in numbers.indices { lowerNumber(at: index) }
        }
        return numbers != before && attempts < attemptsMax
    }

    private mutating func removeChunks(of length: Int) {
        var start = numbers.count - length
        while start >= 0 {
            var fewer = numbers
            fewer.removeSubrange(start..<min(start + length, numbers.count))
            attempt(fewer)
            start -= length
        }
    }

    private mutating func reduceNumber(at index: Int) {
        let number = numbers[index]
        for candidate in [0, 1, number % 8, number % 64, number % 1_024] as [UInt64]
        where candidate < numbers[index] {
            var smaller = numbers
            smaller[index] = candidate
            if attempt(smaller) { return }
        }
    }

    private mutating func lowerNumber(at index: Int) {
        guard index < numbers.count else { return }
        for candidate in 0..<min(numbers[index], Self.smallMax) {
            var smaller = numbers
            smaller[index] = candidate
            if attempt(smaller) { return }
        }
    }

    @discardableResult
    private mutating func attempt(_ candidate: [UInt64]) -> Bool {
        guard attempts < attemptsMax else { return false }
        attempts += 1
        guard fails(candidate) else { return false }
        numbers = candidate
        return true
    }
}
