import Foundation
import SkyrosSQLite

@testable import Skyros

/// A directory with a checkpoint in it, removed when the value goes away.
final class CheckpointDirectory {
    let url: URL

    /// One stored row, with memory of its own.
    struct Row: Hashable {
        let entity: String
        let number: Int64
        var sequence: UInt64 = 42
        let id: [UInt8]
        let record: [UInt8]

        func give(to consume: CheckpointBatch.EntityChanges.RowConsumer) throws {
            try id.withUnsafeBytes { id in
                try record.withUnsafeBytes { record in
                    try consume(
                        CheckpointRow(number: number, sequence: sequence, id: id, record: record))
                }
            }
        }
    }

    init() throws {
        // The name needs no determinism: nothing that is stored depends on it.
        let temporary = FileManager.default.temporaryDirectory
            .appending(path: "skyros-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        // No part of a database's path may be a symbolic link, which `/var` of a Mac is.
        guard let resolved = realpath(temporary.path(percentEncoded: false), nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        defer { free(resolved) }
        url = URL(filePath: String(cString: resolved), directoryHint: .isDirectory)
    }

    deinit {
        _ = try? FileManager.default.removeItem(at: url)
    }

    var fileURL: URL { url.appending(path: "checkpoint.sqlite") }
    var path: String { fileURL.path(percentEncoded: false) }

    func open(readOnly: Bool = false) throws -> CheckpointDatabase {
        try CheckpointDatabase(path: path, readOnly: readOnly, busyTimeoutMilliseconds: 0)
    }

    /// A connection as a stranger would have it, except that it is as careful as ours.
    func stranger() throws -> Connection {
        try Connection(ConnectionOptions(.file(path)))
    }

    /// Every row of a query, every value as its type and its text.
    func query(_ sql: String) throws -> [[String]] {
        var result: [[String]] = []
        try stranger().prepare(sql).forEachRow { row in
            result.append(
                (0..<row.columnCount).map { index in
                    row.isNull(at: index) ? "NULL" : row.string(at: index)
                })
        }
        return result
    }

    static let position = CheckpointPosition(
        storeID: [UInt8](0..<16), sequence: 42, chainHash: 0xFEDC_BA98_7654_3210,
        timeMicroseconds: 1_700_000_000_000_000)
}

extension CheckpointDirectory.Row {
    init(_ entity: String, _ number: Int64, id: [UInt8]? = nil, _ record: [UInt8]) {
        let id = id ?? CheckpointValue.integer(Int128(number))
        self.init(entity: entity, number: number, id: id, record: record)
    }
}

extension CheckpointDatabase {
    /// Every row, in the order of loading.
    func rows() throws -> [CheckpointDirectory.Row] {
        var result: [CheckpointDirectory.Row] = []
        try load { entity, row in
            result.append(
                CheckpointDirectory.Row(
                    entity: entity, number: row.number, sequence: row.sequence,
                    id: Array(row.id), record: Array(row.record)))
        }
        return result
    }

    /// Writes rows, grouped by entity in the order of their first appearance.
    @discardableResult
    func write(_ rows: [CheckpointDirectory.Row]) throws -> CheckpointMeta {
        var names: [String] = []
        for row in rows where !names.contains(where: { $0.utf8.elementsEqual(row.entity.utf8) }) {
            names.append(row.entity)
        }
        let changes = names.map { name in
            CheckpointBatch.EntityChanges(entity: name) { consume in
                for row in rows where row.entity.utf8.elementsEqual(name.utf8) {
                    try row.give(to: consume)
                }
            }
        }
        return try write(CheckpointBatch(changes), at: CheckpointDirectory.position)
    }
}

extension StateDigest {
    init(_ rows: [CheckpointDirectory.Row]) {
        self.init()
        for row in rows {
            row.record.withUnsafeBytes {
                add(entity: row.entity, id: RecordID(ByteString(row.id)), record: $0)
            }
        }
    }
}
