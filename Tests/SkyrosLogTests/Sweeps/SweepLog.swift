import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

/// The log of a killed process: two sealed segments, an ended and an active one, partly unsynced.
struct SweepLog {
    let fixture: LogFixture
    let disk: SimulatedDisk
    let batches: [[UInt8]]
    /// How many batches the log proves durable.
    let durableCount: Int
    let sealed: [String]
    let ended: String
    let active: String
    /// The first batch that is not in a sealed segment.
    let firstUnsealed: UInt64

    var open: [String] { [ended, active] }

    /// - Parameters:
    ///   - sealedBytes: the size of each sealed segment, about.
    ///   - openBytes: the size of the ended segment, about.
    init(sealedBytes: Int, openBytes: Int) throws {
        var fixture = LogFixture(segmentBytesMax: sealedBytes)
        fixture.options.preallocationBytes = 64
        fixture.options.frameBytes = 1_024
        let disk = SimulatedDisk()
        var batches: [[UInt8]] = []
        let random = SeededEntropy(seed: 11)
        func append(to log: FileLog, while isWanted: (LogStatistics) -> Bool) throws {
            while isWanted(log.statistics) {
                let size = UInt8(20 + random.next() % 180)
                let rest = (1..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                batches.append([size] + rest)
                _ = try log.append([size] + rest, as: UInt64(batches.count))
            }
        }
        var log = try fixture.make(on: disk)
        try append(to: log) { $0.segmentCount < 3 }
        while try log.sealNext() {}
        try log.close()
        fixture.options.segmentBytesMax = openBytes
        log = try fixture.open(disk).0
        firstUnsealed = UInt64(batches.count)
        try append(to: log) { $0.segmentCount < 4 }
        let start = log.statistics.fileBytes
        try append(to: log) { $0.fileBytes - start < openBytes / 2 }
        try log.sync(through: log.end)
        try log.markIdle()
        durableCount = batches.count
        try append(to: log) { $0.fileBytes - start < openBytes * 3 / 4 }
        self.fixture = fixture
        self.disk = disk.killed()
        self.batches = batches
        let names = disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        try #require(names.count == 4)
        sealed = names.filter { $0.hasSuffix(".zst") }
        ended = names[2]
        active = names[3]
    }

    /// The bytes of a segment.
    func content(_ path: String) -> [UInt8] { disk.contents[path] ?? [] }

    /// The same log with other bytes in one segment, in the same boot or after a reboot.
    func disk(_ path: String, _ bytes: [UInt8], rebooted: Bool) -> SimulatedDisk {
        let copy = disk.killed()
        copy.overwrite(path, with: bytes)
        if rebooted { copy.nameBoot("another") }
        return copy
    }
}

/// The result of opening a damaged log.
enum SweepOutcome: Hashable {
    /// An error names the damage, when the log is opened, which changes nothing, or read.
    case refused
    /// All batches are there.
    case whole
    /// The first batches are there; the rest is reported and quarantined.
    case cut(Int)
    case wrong(String)

    /// Opens a log whose segment `path` was damaged, and reads the batches from `first` on.
    init(of disk: SimulatedDisk, _ path: String, from first: UInt64, _ log: SweepLog) {
        let before = disk.contents
        var isOpen = false
        do {
            let (opened, recovery) = try log.fixture.open(disk)
            isOpen = true
            let found = try opened.batches(from: first)
            self = Self.judge(found, from: first, recovery, log)
            guard case .cut = self, let kept = recovery.quarantined.flatMap({ disk.contents[$0] })
            else { return }
            // The quarantined bytes are those of the damaged file, after its header.
            let file = before[path] ?? []
            let end = file.reversed().drop { $0 == 0 }.prefix(kept.count - 96)
            if kept.prefix(96) != file.prefix(96)
                || !end.elementsEqual(kept.dropFirst(96).reversed())
            {
                self = .wrong("other bytes are kept")
            }
        } catch let error as LogError {
            self = Self.judge(error, isFair: isOpen || disk.contents == before)
        } catch {
            self = .wrong("\(error)")
        }
    }

    private static func judge(
        _ found: [[UInt8]], from first: UInt64, _ recovery: LogRecovery, _ log: SweepLog
    ) -> SweepOutcome {
        let expected = log.batches[(Int(first) - 1)...]
        guard expected.starts(with: found) else { return .wrong("a wrong batch") }
        if found.count == expected.count { return .whole }
        let count = Int(first) - 1 + found.count
        if recovery.quarantined == nil { return .wrong("silently cut to \(count)") }
        return .cut(count)
    }

    private static func judge(_ error: LogError, isFair: Bool) -> SweepOutcome {
        let codes: Set<LogError.Code> = [
            .corrupt, .segmentMissing, .chainBroken, .foreignStore, .unsupportedFormat,
        ]
        guard codes.contains(error.code), error.file != nil else {
            return .wrong("no error that names damage: \(error)")
        }
        return isFair ? .refused : .wrong("refused, and changed: \(error)")
    }
}

/// The results of a sweep, from all its threads.
final class SweepResult: Sendable {
    private struct State: Sendable {
        var counts: [String: Int] = [:]
        var wrong: [String] = []
    }

    private let state = Locked(State())

    func note(_ what: String) {
        state.withLock { $0.counts[what, default: 0] += 1 }
    }

    /// Records the result of a case.
    func note(_ outcome: SweepOutcome, _ place: @autoclosure () -> String) {
        switch outcome {
        case .refused: note("refused")
        case .whole: note("whole")
        case .cut: note("cut and reported")
        case .wrong(let why): noteWrong("\(place()): \(why)")
        }
    }

    func noteWrong(_ text: String) {
        state.withLock { $0.wrong.append(text) }
    }

    /// Prints the number of cases, and fails the test if one went wrong.
    func report(_ name: String) {
        let state = state.withLock { $0 }
        let figures = state.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        reportSweep(name, figures.joined(separator: ", "))
        #expect(state.wrong.isEmpty, "\(state.wrong.count): \(state.wrong.sorted().prefix(5))")
    }
}
