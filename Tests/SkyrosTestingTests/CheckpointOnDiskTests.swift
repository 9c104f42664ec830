import Skyros
import SkyrosTesting
import Testing

private struct Item: Entity, Equatable {
    var id: Int
}

/// What users of the simulated disk see of checkpoints.
@Suite struct `A checkpoint on a simulated disk` {
    private static let budget = CrashImage.Budget(exhaustiveCountMax: 2, seedCount: 2)
    private let disk = SimulatedDisk()

    private func open(_ disk: SimulatedDisk) throws -> Store {
        var options = Store.Options()
        options.syncInterval = .milliseconds(3_600_000)
        return try Store(on: disk, entities: Item.self, options: options)
    }

    private func fill(_ disk: SimulatedDisk) throws {
        let store = try open(disk)
        for id in 1...3 { try store.write { try $0.insert(Item(id: id)) } }
        try store.close()
    }

    @Test func `is written at closing, and loaded after it`() throws {
        try fill(disk)
        let store = try open(disk.crashed(seed: 1))
        #expect(store.recovery.checkpoint == .loaded(3))
        #expect(store.recovery.replayedEventCount == 0)
        #expect(try store.all(Item.self).map(\.id) == [1, 2, 3])
    }

    @Test func `is not there on a disk without checkpoints`() throws {
        let disk = SimulatedDisk(hasCheckpoints: false)
        try fill(disk)
        let store = try open(disk.crashed(seed: 1))
        #expect(store.recovery.checkpoint == .none)
        #expect(store.recovery.replayedEventCount == 3)
        #expect(disk.contents.keys.allSatisfy { !$0.hasPrefix("checkpoint") })
    }

    @Test func `is what an archive reads and verifies`() throws {
        try fill(disk)
        let archive = try Archive(on: disk)
        #expect(try archive.info().checkpointSequence == 3)
        #expect(archive.verify().ok)
        var bytes = try #require(disk.contents["checkpoint.sqlite"])
        for index in bytes.indices.suffix(200) { bytes[index] ^= 0x55 }
        disk.overwrite("checkpoint.sqlite", with: bytes)
        #expect(!archive.verify().ok)
    }

    @Test func `that cannot be used is described as such`() throws {
        try fill(disk)
        #expect(try Archive(on: disk).info().checkpointProblem == nil)
        let whole = try #require(disk.contents["checkpoint.sqlite"])
        var newer = whole
        // The last byte of `user_version`.
        newer[63] = 9
        for (bytes, problem) in [
            (newer, "of a newer version (format 9)"),
            (whole.map { ~$0 }, "damaged: SQLite error 26: file is not a database"),
        ] {
            disk.overwrite("checkpoint.sqlite", with: bytes)
            let archive = try Archive(on: disk)
            let info = try archive.info()
            #expect(info.checkpointSequence == nil && info.checkpointProblem == problem)
            #expect(!archive.verify().problems.contains { $0.contains("PRAGMA") })
        }
    }

    @Test func `is set aside and rebuilt if it was damaged (F26)`() throws {
        try fill(disk)
        let bytes = try #require(disk.contents["checkpoint.sqlite"])
        disk.overwrite("checkpoint.sqlite", with: bytes.map { ~$0 })
        let store = try open(disk)
        guard case .rebuilt = store.recovery.checkpoint else {
            Issue.record("\(store.recovery)")
            return
        }
        #expect(store.recovery.quarantined == ["quarantine/checkpoint-1.sqlite"])
        // A journal would spoil the next one.
        let operations = disk.operations
        let renaming = try #require(
            operations.lastIndex { $0.kind == .rename && $0.path.contains("checkpoint") })
        let removed = operations[renaming...].filter { $0.kind == .remove }.map(\.path)
        #expect(removed.contains("checkpoint.sqlite-journal"))
        try store.close()
        #expect(try open(disk).recovery.checkpoint == .loaded(3))
    }

    @Test func `can be rebuilt from the log`() throws {
        try fill(disk)
        let bytes = try #require(disk.contents["checkpoint.sqlite"])
        disk.overwrite("checkpoint.sqlite", with: bytes.map { ~$0 })
        try Archive(on: disk).rebuildCheckpoint()
        #expect(try Archive(on: disk).verify().ok)
        #expect(try open(disk.crashed(keeping: 0)).recovery.checkpoint == .loaded(3))
    }

    @Test func `is dropped by a rebuild if the log can make it again, and else set aside`() throws {
        try fill(disk)
        let whole = try #require(disk.contents["checkpoint.sqlite"])
        try Archive(on: disk).rebuildCheckpoint()
        #expect(!disk.contents.keys.contains { $0.hasPrefix("quarantine/") })
        let fork = SimulatedDisk()
        let store = try open(fork)
        for id in 4...6 { try store.write { try $0.insert(Item(id: id)) } }
        try store.close()
        let other = try #require(fork.contents["checkpoint.sqlite"])
        let useless = [whole.map { ~$0 }, Array(whole.prefix(5_000)), other]
        for (index, bytes) in useless.enumerated() {
            disk.overwrite("checkpoint.sqlite", with: bytes)
            try Archive(on: disk).rebuildCheckpoint()
            let isKept = disk.contents["quarantine/checkpoint-\(index + 1).sqlite"] == bytes
            #expect(isKept, "\(index)")
            #expect(try open(disk.killed()).recovery.checkpoint == .loaded(3))
        }
    }

    @Test func `of a newer version is not replaced by a rebuild (F72)`() throws {
        try fill(disk)
        var bytes = try #require(disk.contents["checkpoint.sqlite"])
        // The last byte of `user_version`.
        bytes[63] = 9
        disk.overwrite("checkpoint.sqlite", with: bytes)
        #expect(throws: StoreError(.unsupportedFormat, "")) {
            try Archive(on: disk).rebuildCheckpoint()
        }
        #expect(disk.contents["checkpoint.sqlite"] == bytes)
    }

    @Test func `fails where the disk does, and is written the next time`() throws {
        let store = try open(disk)
        try store.write(durability: .durable) { try $0.insert(Item(id: 1)) }
        disk.inject(Fault(.syncFile, after: 1))
        let error = #expect(throws: StoreError.self) { try store.close() }
        #expect(error?.code == .checkpointFailed)
        let again = try open(disk)
        #expect(again.recovery.checkpoint == .none)
        try again.close()
        #expect(try open(disk).recovery.checkpoint == .loaded(1))
    }

    /// A kill in the middle leaves a journal, which a reader may not roll back.
    @Test func `is no problem to an archive wherever its writing was cut short`() throws {
        let store = try open(disk)
        for id in 1...3 { try store.write { try $0.insert(Item(id: id)) } }
        disk.record()
        try store.close()
        var journalCount = 0
        var findings: [String] = []
        for snapshot in disk.snapshots {
            let killed = snapshot.disk.killed()
            journalCount += killed.contents["checkpoint.sqlite-journal"] == nil ? 0 : 1
            let before = killed.contents
            let verification = try Archive(on: killed).verify()
            let isUntouched = killed.contents == before
            guard verification.problems.isEmpty, isUntouched else {
                findings.append("\(snapshot.operationCount), \(isUntouched): \(verification)")
                continue
            }
        }
        #expect(findings.isEmpty, "\(findings.count): \(findings.prefix(3))")
        #expect(journalCount > 0)
    }

    @Test func `never leads to a wrong state while it is rebuilt (F56)`() throws {
        let store = try open(disk)
        for id in 1...3 { try store.write { try $0.insert(Item(id: id)) } }
        disk.record()
        try store.close()
        // A process that died in the middle of its first checkpoint.
        let unfinished = try #require(
            disk.snapshots.last { $0.disk.contents["checkpoint.sqlite-journal"] != nil })
        let before = unfinished.disk.killed()
        before.record()
        try Archive(on: before).rebuildCheckpoint()
        var loadedCount = 0
        for snapshot in before.snapshots {
            for image in CrashImage.all(of: snapshot, snapshot.disk, Self.budget) {
                let again = try open(image.disk(snapshot.disk))
                #expect(
                    try again.all(Item.self).map(\.id) == [1, 2, 3],
                    "\(snapshot.operationCount), \(image)")
                if again.recovery.checkpoint == .loaded(3) { loadedCount += 1 }
            }
        }
        #expect(loadedCount > 0)
        #expect(try open(before.crashed(keeping: 0)).recovery.checkpoint == .loaded(3))
    }
}
