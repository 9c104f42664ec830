import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Clip: Entity {
    var id: Int
    var text: String
    var app: String
    var usedAt: Int64
    var isPinned = false
    static let indexes: [Index<Clip>] = [.on(\.usedAt)]
}

/// A clipboard manager: most copies are new clips, some are used again or pinned, and only the
/// newest 500 stay.
private struct Clipboard {
    let disk: any Disk
    let clock = ManualClock()
    private let options: Store.Options
    private var random = RandomSource(seed: 4)
    private var nextID = 0

    init(on disk: any Disk) {
        self.disk = disk
        var options = Store.Options()
        options.retention = .keep(.days(90))
        options.scrubInterval = nil
        self.options = options
    }

    /// A day with this number of changes; in the evening the app is closed.
    mutating func liveDay(changes: Int) throws {
        let environment = Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: 1))
        let store = try Store(Schema([Clip.self]), options, environment)
        var count = 0
        while count < changes {
            // A new clip mostly removes an old one.
            clock.advance(byMicroseconds: 2 * 86_400_000_000 / Int64(changes))
            let now = clock.nowMicroseconds()
            try store.write(by: "app", durability: .buffered) { tx in
                let oldest = nextID - 500
                switch random.below(10) {
                case 0 where nextID > 0:
                    let id = max(0, oldest) + random.below(min(nextID, 500))
                    if try tx.get(Clip.self, id) != nil {
                        try tx.update(Clip.self, id) { $0.usedAt = now }
                    }
                default:
                    let words = (0..<4 + random.below(12)).map { _ in "w\(random.below(5_000))" }
                    try tx.insert(
                        Clip(
                            id: nextID, text: words.joined(separator: " "),
                            app: "app\(random.below(20))", usedAt: now))
                    nextID += 1
                    if oldest >= 0 { try tx.delete(Clip.self, oldest) }
                }
            }
            count += 2
        }
        try store.close()
    }

    /// Bytes of the files.
    ///
    /// - Parameter hasRuns: whether those of the history count.
    func byteCount(hasRuns: Bool) throws -> Int {
        var sum = try disk.status(of: .checkpoint)?.sizeBytes ?? 0
        for directory in hasRuns ? [Directory.events, .history] : [.events] {
            for name in try disk.list(directory) {
                sum += try disk.status(of: DiskPath(directory, name))?.sizeBytes ?? 0
            }
        }
        return sum
    }
}

@Suite(.long) struct `A year of a clipboard app that keeps 90 days` {
    /// 2.4 million changes in the deep run.
    @Test func `stays within 1.2 times the size after 90 days`() throws {
        let changes = Extent.pick(brief: 60, quick: 200, deep: 6_575)
        let directory = try TemporaryDirectory()
        let disk = try StoreDirectory.disk(at: directory.store, creating: true)
        var clipboard = Clipboard(on: disk)
        var (after90, largest) = (0, 0)
        for day in 1...365 {
            try clipboard.liveDay(changes: changes)
            // Runs come by the MiB of log, which is many days of few changes.
            let byteCount = try clipboard.byteCount(hasRuns: changes > 1_000)
            if day == 90 { after90 = byteCount }
            if day > 90 { largest = max(largest, byteCount) }
        }
        reportSweep("clipboard year", "\(after90) bytes after 90 days, at most \(largest) later")
        #expect(largest * 10 <= after90 * 12)
        let archive = try Archive(at: directory.store)
        let floor = try #require(try archive.floor)
        let age = clipboard.clock.nowMicroseconds() - floor.time.microseconds
        #expect(age >= 90 * 86_400_000_000 && age <= 100 * 86_400_000_000)
        #expect(archive.verify().ok)
    }
}
