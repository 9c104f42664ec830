import SkyrosDisk
import SkyrosTesting

@testable import Skyros
@testable import SkyrosLog

/// The files of a small log that the library wrote, and its events.
///
/// Five events are in two sealed segments, or pruned; two in a finished segment, the rest in the
/// active one.
struct LogImage: Sendable {
    private enum End { case closed, killed, pruned }

    /// The segments by name, and the floor.
    let files: [SegmentName: [UInt8]]
    /// The encoded events in order.
    let events: [[UInt8]]

    /// A log that was closed.
    static let closed = make(.closed)
    /// A log whose process was killed.
    static let killed = make(.killed)
    /// A log that begins with a floor.
    static let pruned = make(.pruned)
    static let all = [closed, killed, pruned]
    /// The kinds of files that a log keeps.
    static let kinds: [SegmentName.Kind] = [.sealed, .open, .floor]

    /// The names in order.
    var names: [SegmentName] {
        files.keys.sorted {
            ($0.firstSequence, $0.kind.rawValue) < ($1.firstSequence, $1.kind.rawValue)
        }
    }

    /// The first event.
    var first: UInt64 { names.first?.firstSequence ?? 1 }

    /// An event; nil if the log does not have it.
    func event(_ sequence: UInt64) -> [UInt8]? {
        guard sequence >= first, sequence - first < events.count else { return nil }
        return events[Int(sequence - first)]
    }

    private static func make(_ end: End) -> LogImage {
        do {
            let disk = SimulatedDisk(hasCheckpoints: false)
            try write(to: disk, end)
            let files = disk.killed().contents.compactMap { path, bytes in
                SegmentName(path.replacing("events/", with: "")).map { ($0, trimmed(bytes)) }
            }
            let copy = LogImage(files: Dictionary(uniqueKeysWithValues: files), events: [])
            guard end != .pruned || copy.names.contains(where: { $0.kind == .floor }) else {
                preconditionFailure("nothing was pruned")
            }
            let events = try LogContent.batches(
                of: LogInspection(
                    of: copy.disk(), LogOptions(), framing: EventCoding.byteCount(of:)))
            return LogImage(files: copy.files, events: events)
        } catch {
            preconditionFailure("the library failed to write a log: \(error)")
        }
    }

    /// The bytes without the preallocated space.
    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
        return [UInt8](bytes.prefix((end + 7) / 8 * 8))
    }

    private static func write(to disk: SimulatedDisk, _ end: End) throws {
        var options = Store.Options()
        options.segmentBytesMax = 900
        options.syncInterval = .milliseconds(3_600_000)
        let store = try Store(on: disk, entities: FuzzSample.self, options: options)
        store.maintenance.stop()
        for id in 1...5 {
            try store.write(once: "key \(id)", by: "alice", because: "event \(id)") {
                try $0.insert(FuzzSample.filled(id))
            }
        }
        try store.run(.seal)
        try store.run(.seal)
        if end == .pruned { try store.run(.prune) }
        try store.write { tx in
            try tx.update(FuzzSample(id: 1, text: "changed", large: 1))
            try tx.delete(FuzzSample.self, 2)
        }
        try store.write(durability: .durable) { try $0.insert(FuzzSample(id: 6, large: 6)) }
        try store.run(.mark)
        try store.write { try $0.insert(FuzzSample(id: 7, large: 7)) }
        try store.write { try $0.deleteAll(FuzzSample.self) }
        try store.write { try $0.insert(FuzzSample(id: 8, large: 8)) }
        if end != .killed { try store.close() }
    }

    /// A new disk with the log.
    func disk() throws -> MemoryDisk {
        let disk = MemoryDisk()
        disk.makeDirectory(.events)
        for (name, bytes) in files {
            let file = try disk.open(name.path, .create)
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        }
        return disk
    }
}

extension LogImage {
    init(files: [SegmentName: [UInt8]]) {
        self.init(files: files, events: [])
    }
}
