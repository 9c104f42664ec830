import BenchmarkModel
import Foundation
import Skyros

/// W9: bytes on the disk for each change, of the sealed log only.
enum LogSize {
    static let workload = Workload(
        name: "W9", title: "bytes of history", sides: [.skyros, .sqliteAudit, .floor],
        isSteady: true,
        fixtures: { side in
            side == .sqliteAudit
                ? [Preparation(.base, .sqlite), Preparation(.base, .sqliteAudit)]
                : [Preparation(.sealed, .skyros)]
        },
        measure: measure)

    /// What is logged, and in how large commits.
    enum Kind: String, CaseIterable {
        case blocks = "insert, 1,000 a block"
        case singles = "insert, one a block"
        case updates = "update, one a block"

        func variant(_ peer: String) -> String { "\(rawValue), \(peer)" }
    }

    static let audit = "audit table"
    static let json = "JSON lines"
    static let zstd = "the same CBOR by zstd -3"

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        switch side {
        case .skyros:
            return try Kind.allCases.flatMap { kind in
                let value = try SealedChanges.bytesPerChange(kind, in: bench) { try $0.bytes }
                return [audit, json, zstd].map {
                    Figure(kind.variant($0), value, .bytesPerEvent)
                }
            }
        case .sqlite, .sqliteExclusive, .sqliteAudit, .sqliteAuditExclusive:
            return try auditFigures(bench)
        case .floor:
            return try Kind.allCases.flatMap { kind in
                let value = try SealedChanges.bytesPerChange(kind, in: bench) {
                    try recompressedBytes($0.files)
                }
                return try [
                    Figure(kind.variant(json), jsonBytes(kind, bench), .bytesPerEvent),
                    Figure(kind.variant(zstd), value, .bytesPerEvent),
                ]
            }
        }
    }

    /// What the audit adds to a SQLite file.
    private static func auditFigures(_ bench: Bench) throws -> [Figure] {
        let rows = bench.settings.rows
        let updates = bench.settings.updates
        func size(_ side: Side, updating: Bool) throws -> Int {
            guard updating else {
                return try FileSizes.bytes(of: SQLitePeer.file(in: bench.place(of: .base, side)))
            }
            let copy = try bench.copy(of: .base, side)
            let peer = try Peers.open(side, at: copy)
            _ = try Updates.update(0..<updates, of: rows, in: peer)
            try peer.close()
            return try FileSizes.bytes(of: SQLitePeer.file(in: copy))
        }
        let inserted = try size(.sqliteAudit, updating: false) - size(.sqlite, updating: false)
        let updated = try size(.sqliteAudit, updating: true) - size(.sqlite, updating: true)
        let perRow = Double(inserted) / Double(rows)
        return [
            Figure(Kind.blocks.variant(audit), perRow, .bytesPerEvent),
            Figure(Kind.singles.variant(audit), perRow, .bytesPerEvent),
            Figure(
                Kind.updates.variant(audit), Double(updated - inserted) / Double(updates),
                .bytesPerEvent),
        ]
    }

    private static func jsonBytes(_ kind: Kind, _ bench: Bench) throws -> Double {
        let samples = 10_000
        let encoder = JSONEncoder()
        var bytes = 0
        for index in 0..<samples {
            let line =
                if kind == .updates {
                    AuditLine(index, updating: Generator.update(index, of: bench.settings.rows))
                } else {
                    AuditLine(index, inserting: Generator.order(index))
                }
            bytes += try encoder.encode(line).count + 1
        }
        return Double(bytes) / Double(samples)
    }

    /// The size of the segments' content, compressed as one stream.
    private static func recompressedBytes(_ segments: [URL]) throws -> Int {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let files = segments.map { $0.path(percentEncoded: false) }
        process.arguments = ["-c", "zstd -dcq \"$@\" | zstd -3 -c | wc -c", "sh"] + files
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard let bytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)), bytes > 100
        else { throw BenchmarkError("W9 needs the zstd program; it said \(text)") }
        return bytes
    }
}

/// The sealed segments of a store, and how many changes they hold.
private struct SealedChanges {
    private let log: SealedLog
    private let changeCount: Int

    /// Bytes for each change of a kind. Updates follow the inserts of a store: theirs is what they
    /// have added.
    static func bytesPerChange(
        _ kind: LogSize.Kind, in bench: Bench, _ bytes: (SealedLog) throws -> Int
    ) throws -> Double {
        let all = try SealedChanges(kind, in: bench)
        guard kind == .updates else { return try Double(bytes(all.log)) / Double(all.changeCount) }
        let before = try SealedChanges(.blocks, in: bench)
        return try Double(bytes(all.log) - bytes(before.log))
            / Double(all.changeCount - before.changeCount)
    }

    private init(_ kind: LogSize.Kind, in bench: Bench) throws {
        let directory = SealedStores.directory(of: kind, in: bench.place(of: .sealed, .skyros))
        let archive = try Archive(at: directory)
        log = try SealedLog(of: directory, last: archive.sequence.rawValue)
        var count = 0
        let first = SequenceNumber(rawValue: log.events.lowerBound)
        let end = SequenceNumber(rawValue: log.events.upperBound)
        try archive.events(first..<end).forEach { event in
            count += event.changes.count
            try Self.check(event, kind, bench.settings)
        }
        changeCount = count
    }

    /// The first change of every hundredth event is what the generator gives.
    private static func check(_ event: Event, _ kind: LogSize.Kind, _ settings: Settings) throws {
        guard event.sequence.rawValue.isMultiple(of: 100), let change = event.changes.first else {
            return
        }
        let number = Int(event.sequence.rawValue) - 1
        let isUpdate = kind == .updates && number >= Blocks(0..<settings.rows).count
        switch change {
        case .inserted(let record) where !isUpdate:
            let row = kind == .singles ? number : number * Settings.blockRows
            try BenchmarkError.check(
                record.decode(as: Order.self), Generator.order(row), "event \(event.sequence)")
        case .updated where isUpdate: break
        default: throw BenchmarkError("\(change) in event \(event.sequence)")
        }
    }
}

/// A change as a line of JSON, as a program without an event store logs it.
private struct AuditLine: Encodable {
    struct Status: Encodable {
        let status: Order.Status
    }

    let sequence: Int
    let time: String
    let actor = Audit.actor
    let reason = Audit.reason
    let kind: String
    var order: Order?
    var id: UUID?
    var before: Status?
    var after: Status?

    init(_ sequence: Int, inserting order: Order) {
        self.sequence = sequence
        time = "2026-03-01T12:00:00.562748Z"
        kind = "inserted"
        self.order = order
    }

    init(_ sequence: Int, updating update: (row: Int, status: Order.Status)) {
        self.sequence = sequence
        time = "2026-03-01T12:00:00.562748Z"
        kind = "updated"
        let order = Generator.order(update.row)
        id = order.id
        before = Status(status: order.status)
        after = Status(status: update.status)
    }
}
