import Foundation

/// A progress bar on the standard error, if that is a terminal, after one second.
///
/// The environment variable `SKYROS_PROGRESS_DELAY` sets that delay in milliseconds.
final class ProgressBar {
    private let label: String
    private let total: UInt64
    private let start = ContinuousClock.now
    private let isShown = isatty(2) == 1
    private var lastDrawn: ContinuousClock.Instant?

    private static let width = 32
    private static let delay = Duration.milliseconds(
        ProcessInfo.processInfo.environment["SKYROS_PROGRESS_DELAY"].flatMap(Int.init) ?? 1_000)
    private static let interval = Duration.milliseconds(100)

    init(_ label: String, total: UInt64) {
        self.label = label
        self.total = total
    }

    /// Updates the progress. Cheap enough to be called for every event.
    func update(_ done: UInt64) {
        guard isShown, done % 256 == 0 || done == total else { return }
        let now = ContinuousClock.now
        guard now - start > Self.delay else { return }
        if let lastDrawn, now - lastDrawn < Self.interval, done != total { return }
        lastDrawn = now
        draw(done)
    }

    /// Removes the bar.
    func finish() {
        if lastDrawn != nil { write("\r\u{1B}[K") }
    }

    private func draw(_ done: UInt64) {
        let share = total == 0 ? 1 : Double(done) / Double(total)
        let filled = Int(share * Double(Self.width))
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.width - filled)
        write("\r\(label) \(bar) \(Int(share * 100)) %")
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
