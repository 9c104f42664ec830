import SkyrosTesting
import Testing

@Suite struct `A failing run` {
    @Test func `is shrunk to the fewest and smallest choices that fail`() {
        let choices = Choices(seed: 3)
        let numbers = (0..<300).map { _ in choices.next() }
        // A run fails if it has two odd choices.
        let shortest = ChoiceShrinking.shrink(numbers, attemptsMax: 5_000) { numbers in
            numbers.count { $0 % 2 == 1 } >= 2
        }
        #expect(shortest == [1, 1])
    }

    @Test func `keeps the choices that it needs to fail`() {
        let numbers: [UInt64] = [9, 1_000_007, 4, 77, 5]
        let shortest = ChoiceShrinking.shrink(numbers, attemptsMax: 1_000) { numbers in
            numbers.contains { $0 > 1_000_000 } && numbers.last == 5
        }
        #expect(shortest == [1_000_007, 5])
    }

    @Test func `is not tried more often than allowed`() {
        var attempts = 0
        let shortest = ChoiceShrinking.shrink([1, 2, 3, 4], attemptsMax: 3) { _ in
            attempts += 1
            return false
        }
        #expect(attempts == 3)
        #expect(shortest == [1, 2, 3, 4])
    }

    @Test func `can be repeated from its choices`() {
        let first = Choices(seed: 11)
        let numbers = (0..<20).map { first($0 + 1) }
        let again = Choices(replaying: first.taken)
        #expect((0..<20).map { again($0 + 1) } == numbers)
        #expect(again(100) == 0)
        #expect(Choices(seed: 11).taken.isEmpty)
    }
}
