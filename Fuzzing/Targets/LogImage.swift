import SkyrosDisk
import SkyrosTesting

@testable import Skyros
@testable import SkyrosLog

/// The files of a small log that the library wrote, and its events.
///
/// Five events are in two sealed segments, two in a finished one, the rest in the active one.
struct LogImage: Sendable {
    /// The segments by name.
    let files: [SegmentName: [UInt8]]
    /// The encoded events in order.
    let events: [[UInt8]]

    /// A log that was closed.
    static let closed = make(isClosed: true)
    /// A log whose process was killed.
    static let killed = make(isClosed: false)

    /// The names in order.
    var names: [SegmentName] {
        files.keys.sorted {
            ($0.firstSequence, $0.kind.rawValue) < ($1.firstSequence, $1.kind.rawValue)
        }
    }

    private static func make(isClosed: Bool) -> LogImage {
        do {
            let disk = SimulatedDisk(hasCheckpoints: false)
            try write(to: disk, isClosed: isClosed)
            let files = disk.killed().contents.compactMap { path, bytes in
                SegmentName(path.replacing("events/", with: "")).map { ($0, trimmed(bytes)) }
            }
            let copy = LogImage(files: Dictionary(uniqueKeysWithValues: files), events: [])
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

    private static func write(to disk: SimulatedDisk, isClosed: Bool) throws {
        var options = Store.Options()
        options.segmentBytesMax = 900
        options.syncInterval = .milliseconds(3_600_000)
        let store = try Store(on: disk, entities: FuzzSample.self, options: options)
        store.maintenance.stop()
        for id in 1...5 {
            try store.write(by: "alice", because: "event \(id)") {
                try $0.insert(FuzzSample.filled(id))
            }
        }
        try store.run(.seal)
        try store.run(.seal)
        try store.write { tx in
            try tx.update(FuzzSample(id: 1, text: "changed", large: 1))
            try tx.delete(FuzzSample.self, 2)
        }
        try store.write(durability: .durable) { try $0.insert(FuzzSample(id: 6, large: 6)) }
        try store.run(.mark)
        try store.write { try $0.insert(FuzzSample(id: 7, large: 7)) }
        try store.write { try $0.deleteAll(FuzzSample.self) }
        try store.write { try $0.insert(FuzzSample(id: 8, large: 8)) }
        if isClosed { try store.close() }
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
