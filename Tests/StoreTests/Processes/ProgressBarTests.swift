import Skyros
import Testing

@testable import SkyrosTool

@Suite struct `A progress bar` {
    @Test func `says how much is done, how fast, and what time is left`() {
        let line = ProgressBar.line(
            ProgressBar.Step(.searching), 0.5, 250_000, of: 500_000, elapsed: .seconds(3),
            inStep: .milliseconds(500))
        #expect(
            line == "searching ████████░░░░░░░░ 50 %  250,000 of 500,000 items, 500,000/s, "
                + "3 s left")
        let late = ProgressBar.line(
            ProgressBar.Step(.checking), 0.1, 1, of: 10, elapsed: .seconds(60), inStep: .zero)
        #expect(late == "checking █░░░░░░░░░░░░░░░ 10 %  1 of 10 events, 9 min left")
    }

    @Test func `has no time left at its end`() {
        let line = ProgressBar.line(
            ProgressBar.Step(.copying), 1, 7, of: 7, elapsed: .seconds(3), inStep: .seconds(7))
        #expect(line == "copying ████████████████ 100 %  7 of 7 bytes, 1/s")
    }

    @Test func `shows any numbers that a log may have`() {
        for (share, done) in [(1e-30, UInt64(1)), (0.5, .max), (0, .max)] {
            let line = ProgressBar.line(
                ProgressBar.Step(.checking), share, done, of: .max,
                elapsed: .seconds(100_000_000_000), inStep: .nanoseconds(1))
            #expect(line.hasPrefix("checking "))
        }
    }
}
