import SkyrosDisk
import SkyrosTesting

@testable import Skyros
@testable import SkyrosLog

/// Opens a log that may be damaged in every possible way, and reads all of it.
struct LogContent {
    /// The log that was written; only a prefix of its batches may be read. Nil if checksums may be
    /// forged, so that anything may be read.
    var written: LogImage?

    /// - Throws: `FuzzFinding`.
    func check(_ disk: MemoryDisk) throws {
        let before = try Self.files(on: disk)
        let read = try allowing(LogError.self) {
            let inspection = try LogInspection(
                of: disk, LogOptions(), framing: EventCoding.byteCount(of:))
            if let refusal = inspection.refusal { throw refusal }
            return (inspection, try Self.batches(of: inspection))
        }
        if let written, let batches = read?.1 {
            try require(
                written.events.starts(with: batches),
                "\(batches.count) events that were never written")
        }
        if let inspection = read?.0 { try readAsArchive(disk, inspection) }
        try scanDamage(disk, expecting: read?.1)
        try require(try Self.files(on: disk) == before, "reading changed files")
        let isOpened = try open(disk, expecting: read?.1)
        if !isOpened {
            try require(try Self.files(on: disk) == before, "P5: a refused opening changed files")
        }
    }

    /// Checks that a damage scan finds only batches that were written, and in an intact log all.
    private func scanDamage(_ disk: MemoryDisk, expecting batches: [[UInt8]]?) throws {
        let scan = try allowing(LogError.self) {
            try DamageScan(of: disk, LogOptions(), framing: EventCoding.byteCount(of:))
        }
        guard let scan else {
            return try require(batches?.isEmpty ?? true, "an intact log cannot be scanned")
        }
        _ = try allowing(LogError.self) {
            try scan.forEach(after: 0) { number, bytes in
                guard let written else { return true }
                try require(
                    written.event(number)?.elementsEqual(bytes) ?? false,
                    "a damage scan gives an event \(number) that was never written")
                return true
            }
        }
        // Without the floor, the history before the segments is lost, and so is their place in it.
        guard let batches, let written, try hasWholeFloor(disk) else { return }
        let found = try Self.batches(of: scan)
        // A copy that has another name may hold events that the log has lost.
        let hasCopy = try !copies(on: disk, written).isEmpty
        try require(
            hasCopy ? found.starts(with: batches) : found == batches,
            "a damage scan finds \(found.count) of \(batches.count) events")
    }

    /// All events of a log.
    static func batches(of log: some LogReader) throws -> [[UInt8]] {
        var batches: [[UInt8]] = []
        let first = log.firstSequence
        while let chunk = try log.chunk(containing: first + UInt64(batches.count)) {
            _ = chunk.forEach(from: first + UInt64(batches.count)) { _, bytes in
                batches.append([UInt8](bytes))
                return true
            }
        }
        return batches
    }

    /// The files with names that the log has not.
    private func copies(on disk: MemoryDisk, _ written: LogImage) throws -> Set<String> {
        try Set(Self.files(on: disk).keys).subtracting(written.names.map(\.description))
    }

    /// Whether the floor that was written is there as it was.
    private func hasWholeFloor(_ disk: MemoryDisk) throws -> Bool {
        guard let floor = written?.files.first(where: { $0.key.kind == .floor }) else {
            return true
        }
        return try Self.files(on: disk)[floor.key.description] == floor.value
    }

    private static func files(on disk: MemoryDisk) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in disk.list(.events) {
            let file = try disk.open(DiskPath(.events, name), .read)
            files[name] = try file.bytes(from: 0, count: try file.status().sizeBytes)
        }
        for name in disk.list(.quarantine) { files["quarantine/\(name)"] = [] }
        return files
    }

    // MARK: Untyped

    private func readAsArchive(_ disk: MemoryDisk, _ inspection: LogInspection) throws {
        guard inspection.storeID != nil else { return }
        let archive = try allowing(StoreError.self) {
            try Archive(on: Environment(disk: disk, entropy: SeededEntropy(seed: 1)))
        }
        guard let archive else { return }
        let verification = archive.verify()
        _ = try allowing(StoreError.self) {
            try archive.events().forEach { event in
                for change in event.changes { _ = change.id?.description }
            }
            _ = try archive.history(of: FuzzSample.entityName, RecordID(1))
        }
        _ = try allowing(StoreError.self) { try archive.snapshot().digest() }
        _ = try allowing(StoreError.self) { try replay(archive) }
        if let written, try hasWholeFloor(disk) {
            // What an opening will cut off of the torn tail is named, as a restart of the machine
            // may have torn it.
            let isTorn = verification.tornTail?.wholeEventCount ?? 0 > 0
            // A copy that has another name may hold events that the log has lost.
            let copies = try copies(on: disk, written).map { "events/\($0)" }
            let isExpected =
                verification.damages.allSatisfy { copies.contains($0.segment) }
                && verification.otherProblems.count == (isTorn ? 1 : 0)
            try require(isExpected, "\(verification) of a log that was read as written")
        }
    }

    /// Folds the log with types, and checks the indexes after each event.
    private func replay(_ archive: Archive) throws {
        let empty = Snapshot(
            try FuzzSample.schema.get(),
            beginning: ChainHash(beginning: archive.log.storeID), hashSeed: 1)
        var snapshot = try HistoryReader(log: archive.log, empty: empty).beginning()
        var dirty = DirtyRows(isRecording: false)
        let events = EventReader(archive.log)
        try events.forEach(from: events.first, through: archive.sequence) {
            try Projector.apply($0, chainHash: $1, to: &snapshot, marking: &dirty)
            for table in snapshot.tables { try table.checkIndexes() }
            return true
        }
    }

    // MARK: As a store

    private static func open(_ disk: MemoryDisk) throws -> Store {
        var options = Store.Options()
        options.keepsUnknownEntities = true
        options.segmentBytesMax = 900
        options.syncInterval = .milliseconds(3_600_000)
        let environment = Environment(
            disk: disk, clock: ManualClock(), entropy: SeededEntropy(seed: 1))
        return try Store(FuzzSample.schema.get(), options, environment)
    }

    /// Opens the store and writes to it; returns whether it could be opened.
    private func open(_ disk: MemoryDisk, expecting batches: [[UInt8]]?) throws -> Bool {
        guard let store = try allowing(StoreError.self, { try Self.open(disk) }) else {
            let mayRefuse = try written == nil || batches == nil || !hasWholeFloor(disk)
            try require(mayRefuse, "P6: an intact log was refused")
            return false
        }
        store.maintenance.stop()
        let read = try Self.batches(of: store.log.engine)
        try require(
            batches.map { $0 == read } ?? true,
            "P3: \(read.count) events after recovery, \(batches?.count ?? 0) before")
        try compare(store)
        let isWritten: Void? = try allowing(StoreError.self) {
            try store.write { try $0.insert(FuzzSample(id: 1_000, large: 1_000)) }
            while try store.resources.log.segments?.sealNext() ?? false {}
            try store.close()
        }
        if isWritten != nil { try reopen(disk, expecting: store.sequence) }
        return true
    }

    /// Checks that the view is the fold of the log (promise P7).
    private func compare(_ store: Store) throws {
        let digest = try store.snapshot.digest()
        let folded = try store.snapshot(asOf: .sequence(store.sequence)).digest()
        try require(digest == folded, "P7: the view is not the fold of the log")
        _ = try allowing(StoreError.self) {
            try store.all(FuzzSample.self, where: \.text == "zwölf", sortedBy: \.ratio)
        }
    }

    private func reopen(_ disk: MemoryDisk, expecting sequence: SequenceNumber) throws {
        let store = try Self.open(disk)
        try require(
            store.sequence == sequence && store.recovery.wasClean,
            "P6: reopened at \(store.sequence), not \(sequence): \(store.recovery)")
        try store.close()
    }
}

extension Table {
    /// Checks that each index has one entry per row.
    func checkIndexes() throws {
        for index in indexes {
            try require(
                index.tree.count == count,
                "an index of \(index.tree.count) entries over \(count) rows")
        }
    }
}
