import Foundation
import Skyros
import SkyrosDisk

/// A progress bar on the standard error, if that is a terminal, after one second: the share of the
/// whole command, the count and the rate of its current step, and the time left.
///
///     reading ████████░░░░░░░░ 50 %  250,000 of 500,000 items, 410,000/s, 2 s left
///
/// The environment variable `SKYROS_PROGRESS_DELAY` sets that delay in milliseconds.
final class ProgressBar {
    /// A part of a command's work.
    struct Step {
        let step: StoreProgress.Step
        /// The share of the command's time, about; all shares together are 1.
        let share: Double

        init(_ step: StoreProgress.Step, _ share: Double = 1) {
            self.step = step
            self.share = share
        }

        /// What is counted.
        var unit: String {
            switch step {
            case .scanning, .copying: "bytes"
            case .searching: "items"
            // A state is read from records of a checkpoint and the events after it.
            case .reading: "items"
            case .salvaging, .checking, .sending: "events"
            case .loading, .comparing, .writing, .digesting: "records"
            }
        }
    }

    private var steps: [Step]
    /// The current step; nil before the first.
    private var current: Int?
    /// The share of the bar that was done before `steps`.
    private var doneBefore = 0.0
    private var share = 0.0
    private var total: UInt64 = 0
    private let start = ContinuousClock.now
    private var stepStart = ContinuousClock.now
    private let isShown = isatty(STDERR_FILENO) == 1
    private var lastDrawn: ContinuousClock.Instant?

    /// Whether a bar is on the terminal.
    private static let isDrawn = Locked(false)
    private static let width = 16
    private static let delay = Duration.milliseconds(
        ProcessInfo.processInfo.environment["SKYROS_PROGRESS_DELAY"].flatMap(Int.init) ?? 1_000)
    private static let interval = Duration.milliseconds(100)

    init(_ steps: Step...) {
        self.steps = steps
    }

    /// Continues with other steps than were expected: what is left of the bar is theirs.
    func continueWith(_ steps: Step...) {
        doneBefore = share
        self.steps = steps
        current = nil
    }

    /// Updates the progress. Steps that were left out count as done. Cheap enough to be called for
    /// every item.
    func update(
        _ step: StoreProgress.Step, _ done: some BinaryInteger, of total: some BinaryInteger
    ) {
        let done = UInt64(clamping: done)
        let isNew = current.map { steps[$0].step != step } ?? true
        guard isShown, isNew || done & 255 == 0 || done == total else { return }
        let now = ContinuousClock.now
        if isNew { (current, stepStart) = (index(of: step), now) }
        let current = current ?? 0
        self.total = UInt64(clamping: total)
        let ownShare = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let before = steps[..<current].reduce(0) { $0 + $1.share }
        let inSteps = min(1, before + steps[current].share * ownShare)
        // What is added to a log meanwhile must not move the bar back.
        share = max(share, doneBefore + (1 - doneBefore) * inSteps)
        guard now - start > Self.delay else { return }
        if let lastDrawn, !isNew, now - lastDrawn < Self.interval, done != total { return }
        lastDrawn = now
        draw(done, at: now)
    }

    /// The index of a step, from the current one on.
    private func index(of step: StoreProgress.Step) -> Int {
        let first = current ?? 0
        return steps[first...].firstIndex { $0.step == step } ?? first
    }

    /// The same, as an operation on a store reports it.
    func update(_ progress: StoreProgress) {
        update(progress.step, progress.done, of: progress.total)
    }

    /// Whether a command that prints lines may show a bar meanwhile: not on the same terminal.
    static var mayShowWhilePrinting: Bool { isatty(STDOUT_FILENO) == 0 }

    /// Removes the bar.
    func finish() {
        if lastDrawn != nil { Self.erase() }
        lastDrawn = nil
    }

    /// Removes the bar that is on the terminal, if any.
    static func erase() {
        isDrawn.withLock { isDrawn in
            if isDrawn { ErrorOutput.write("\r\u{1B}[K") }
            isDrawn = false
        }
    }

    private func draw(_ done: UInt64, at now: ContinuousClock.Instant) {
        let text = Self.line(
            steps[current ?? 0], share, done, of: total, elapsed: now - start,
            inStep: now - stepStart)
        Self.isDrawn.withLock { isDrawn in
            ErrorOutput.write("\r\(text)\u{1B}[K")
            isDrawn = true
        }
    }

    /// The bar.
    ///
    /// - Parameters:
    ///   - share: what is done of the whole command.
    ///   - done: what is done of the step; a damaged log may say any number.
    static func line(
        _ step: Step, _ share: Double, _ done: UInt64, of total: UInt64, elapsed: Duration,
        inStep: Duration
    ) -> String {
        // Shares add up to 1 up to rounding.
        let share = min(1, share + 1e-9)
        let filled = Int(share * Double(width))
        let bar =
            String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        var text = "\(step.step.rawValue) \(bar) \(Int(share * 100)) %  "
        text += "\(grouped(done)) of \(grouped(total)) \(step.unit)"
        let seconds = inStep.seconds
        if seconds > 0, done > 0 {
            text += ", \(grouped(UInt64(min(Double(done) / seconds, 1e18))))/s"
        }
        if share > 0, share < 1 {
            text += ", \(time(min(elapsed.seconds * (1 - share) / share, 1e18))) left"
        }
        return text
    }

    /// A number with a comma between thousands.
    private static func grouped(_ number: UInt64) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    private static func time(_ seconds: Double) -> String {
        let seconds = Int(seconds.rounded(.up))
        return seconds < 120 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
