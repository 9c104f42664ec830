import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite(.long) struct `A backup that is stopped` {
    private let backups = BackupFixture()
    private var fixture: LogFixture { backups.fixture }

    /// A source, and the copy of an earlier state of it.
    private struct Scene {
        let source: SimulatedDisk
        let target: SimulatedDisk
        let name: String
    }

    /// What can have changed since the last backup.
    private func scenes() throws -> [Scene] {
        var scenes: [Scene] = []
        func add(
            _ name: String, _ before: (FileLog, SimulatedDisk) throws -> Void,
            hasCopy: Bool = true, _ after: (FileLog, SimulatedDisk) throws -> Void
        ) throws {
            let (source, target) = (SimulatedDisk(), SimulatedDisk())
            let log = try fixture.make(on: source)
            try before(log, source)
            if hasCopy { try backups.backup(source, to: target) }
            try after(log, source)
            scenes.append(Scene(source: source, target: target, name: name))
        }
        func sealed(_ count: Int) -> (FileLog, SimulatedDisk) throws -> Void {
            { log, _ in
                try log.grow(toSegments: count)
                try log.sealAll()
            }
        }
        try add("the first", sealed(4), hasCopy: false) { _, _ in }
        try add("more events", sealed(2)) { log, _ in try log.append(3) }
        try add("several segments", sealed(2)) { log, _ in
            try log.grow(toSegments: 5)
            try log.sealAll()
        }
        try add("open ones that were sealed", { log, _ in try log.grow(toSegments: 3) }) {
            log, _ in
            try log.sealAll()
            try log.append(1)
        }
        try add("the active one that was sealed", sealed(2)) { log, _ in
            try log.grow(toSegments: 3)
            try log.sealAll()
        }
        try add("merged ones", sealed(5)) { _, disk in try backups.merge(3, from: 1, on: disk) }
        try add("merged ones with new events", sealed(3)) { log, disk in
            try log.grow(toSegments: 5)
            try log.sealAll()
            try backups.merge(4, on: disk)
        }
        return scenes
    }

    /// Checks what an opening finds on `disk`, and that another backup completes the copy.
    private func check(
        _ disk: SimulatedDisk, _ before: Int, _ scene: Scene, _ place: String
    ) throws {
        let count = try fixture.inspect(scene.source).head.sequence
        let found = try backups.opened(disk)
        #expect(before == 0 || found != nil, "\(scene.name), \(place)")
        let batches = found ?? []
        #expect(
            batches.count >= before && batches == expected(UInt64(batches.count)),
            "\(scene.name), \(place): \(batches.count) of \(before)")
        if found != nil {
            #expect(try fixture.scan(disk).damages.isEmpty, "\(scene.name), \(place)")
        }
        try backups.backup(scene.source, to: disk)
        #expect(try backups.opened(disk) == expected(count), "\(scene.name), \(place)")
        let names = try disk.list(.events)
        #expect(!names.contains { $0.hasSuffix(".tmp") }, "\(scene.name), \(place)")
    }

    @Test func `at any operation leaves a log with all that it held before (F1, F4)`() throws {
        for scene in try scenes() {
            let before = try backups.opened(scene.target)?.count ?? 0
            let target = scene.target.killed()
            target.record()
            try backups.backup(scene.source, to: target)
            let operations = target.operations
            let stride = [Extent.brief: 11, .quick: 3][.current] ?? 1
            for (index, snapshot) in target.snapshots.enumerated() {
                let number = snapshot.operationCount
                let place = "operation \(number) of \(operations.count)"
                // Of names, every set that a power cut may keep.
                let changeCount = snapshot.disk.unsyncedChangeCount
                if number < operations.count, changeCount <= 4,
                    [.syncDirectory, .rename, .remove].contains(operations[number].kind)
                {
                    for bits in 0..<UInt64(1 << changeCount) {
                        let crashed = snapshot.disk.crashed(keeping: bits)
                        try check(crashed, before, scene, "\(place), keeping \(bits)")
                    }
                }
                guard index % stride == 0 else { continue }
                try check(snapshot.disk.killed(), before, scene, place)
                for seed in 0..<(Extent.current == .deep ? 24 : 2) {
                    let crashed = snapshot.disk.crashed(seed: UInt64(index * 31 + seed))
                    try check(crashed, before, scene, "\(place), power cut \(seed)")
                }
            }
        }
    }

    @Test func `by an error leaves a log with all that it held before (F13, F16)`() throws {
        for scene in try scenes() {
            let before = try backups.opened(scene.target)?.count ?? 0
            var number = 0
            while true {
                let target = scene.target.killed()
                target.inject(Fault(nil, after: number, isLasting: number % 2 == 0))
                let failed = failure(as: LogError.self) {
                    try backups.backup(scene.source, to: target)
                }
                guard failed != nil else { break }
                target.heal()
                try check(target.crashed(seed: UInt64(number)), before, scene, "fault \(number)")
                try check(target.killed(), before, scene, "fault \(number), killed")
                number += [Extent.brief: 7, .quick: 3][.current] ?? 1
            }
            #expect(number > 10)
        }
    }

    /// The source is sealed and merged before any of the files is opened.
    @Test func `by nothing: it copes with files that change while it reads (F73)`() throws {
        var openCount = 1
        var number = 0
        while number < openCount {
            let base = SimulatedDisk()
            let log = try fixture.make(on: base)
            try log.grow(toSegments: 4)
            _ = try log.sealNext()
            _ = try log.sealNext()
            let source = HookedDisk(base)
            let target = SimulatedDisk()
            let openings = source.before(opening: number) { [backups] in
                _ = try? log.append(3)
                try? log.sealAll()
                try? backups.merge(2, on: base)
                _ = try? log.append(20)
            }
            try backups.backup(source, to: target)
            let batches = try #require(try backups.opened(target))
            #expect(batches.count >= 3 && batches == expected(UInt64(batches.count)))
            openCount = openings.withLock { $0 }
            number += 1
        }
        #expect(number > 5)
    }

    /// Random writes, seals, merges, crashes of the copy and backups.
    @Test func `again and again stays a copy of the log`() throws {
        for seed in 0..<UInt64(Extent.current == .deep ? 400 : 12) {
            var random = RandomSource(seed: seed)
            let source = SimulatedDisk()
            let log = try fixture.make(on: source)
            var target = SimulatedDisk()
            var held = 0
            for _ in 0..<12 {
                switch random.next() % 5 {
                case 0, 1: try log.append(Int(random.next() % 30))
                case 2: _ = try log.sealNext()
                case 3: try log.sealAll()
                default:
                    let first = Int(random.next() % 4)
                    try backups.merge(Int(random.next() % 3) + 2, from: first, on: source)
                }
                if random.next() % 3 == 0 {
                    target.inject(
                        Fault(nil, after: Int(random.next() % 150), isLasting: true))
                }
                let failed = failure(as: LogError.self) {
                    try backups.backup(source, to: target)
                }
                target = failed == nil ? target.killed() : target.crashed(seed: seed)
                let batches = try backups.opened(target) ?? []
                #expect(batches.count >= held && batches == expected(UInt64(batches.count)))
                held = batches.count
                if failed == nil { #expect(held == Int(log.head.sequence), "seed \(seed)") }
            }
        }
    }
}
