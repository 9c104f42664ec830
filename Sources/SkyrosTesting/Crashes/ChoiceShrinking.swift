/// Looks for fewer and smaller choices that make a run fail too, so that it can be read.
///
/// Pieces are left out, the longest first, then numbers are made small, as long as that helps.
/// The choices are shortened and not the operations, so that every attempt is a run that could
/// have been; the idea is that of MacIver and Donaldson, "Test-Case Reduction via Test-Case
/// Generation", ECOOP 2020.
package struct ChoiceShrinking {
    private let attemptsMax: Int
    private let fails: ([UInt64]) -> Bool
    private var attempts = 0
    private var numbers: [UInt64]

    /// The fewest and smallest numbers found with which `fails` is true, as it is with `numbers`.
    ///
    /// - Parameter attemptsMax: how often `fails` is called at most.
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

    /// Tries everything once; returns whether anything helped.
    private mutating func shrinkOnce() -> Bool {
        let before = numbers
        var length = max(1, numbers.count / 2)
        while true {
            leaveOut(length)
            if length == 1 { break }
            length /= 2
        }
        for index in numbers.indices.reversed() where index < numbers.count {
            makeSmaller(at: index)
        }
        return numbers != before && attempts < attemptsMax
    }

    private mutating func leaveOut(_ length: Int) {
        var start = numbers.count - length
        while start >= 0 {
            var fewer = numbers
            fewer.removeSubrange(start..<min(start + length, numbers.count))
            take(fewer)
            start -= length
        }
    }

    private mutating func makeSmaller(at index: Int) {
        let number = numbers[index]
        for candidate in [0, 1, number % 8, number % 64, number % 1_024] as [UInt64]
        where candidate < numbers[index] {
            var smaller = numbers
            smaller[index] = candidate
            if take(smaller) { return }
        }
    }

    @discardableResult
    private mutating func take(_ candidate: [UInt64]) -> Bool {
        guard attempts < attemptsMax else { return false }
        attempts += 1
        guard fails(candidate) else { return false }
        numbers = candidate
        return true
    }
}
