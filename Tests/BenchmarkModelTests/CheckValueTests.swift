import BenchmarkModel
import Testing

@Suite struct `The check values` {
    @Test func `are what the generator gives`() {
        #expect(CheckValues.mismatch() == nil)
    }
}
