import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport

/// Makes and opens logs of small batches.
struct LogFixture {
    var options = LogOptions()
    let storeID = StoreID([UInt8](0..<16)) ?? StoreID(from: SeededEntropy(seed: 0))

    /// The first byte of a batch is its size.
    static let framing: PayloadFraming = { bytes in
        guard let first = bytes.first, first > 0, Int(first) <= bytes.count else { return nil }
        return Int(first)
    }

    init(segmentBytesMax: Int = 1 << 20) {
        options.segmentBytesMax = segmentBytesMax
        options.preallocationBytes = 4_096
        options.frameBytes = 256
    }

    /// The batch with this number: 1 to 200 bytes that depend on it only.
    static func batch(_ number: UInt64) -> [UInt8] {
        let size = UInt8(number &* 37 % 200 + 1)
        return [size] + (1..<Int(size)).map { UInt8(truncatingIfNeeded: number &+ UInt64($0)) }
    }

    func make(on disk: any Disk) throws -> FileLog {
        try FileLog.make(
            for: storeID, on: disk, options, entropy: SeededEntropy(seed: 7),
            framing: Self.framing)
    }

    /// Replaces the log on `disk`, as an erasure does that begins another one.
    func replace(on disk: any Disk, by storeID: StoreID) throws -> FileLog {
        for name in try disk.list(.events) { try disk.remove(DiskPath(.events, name)) }
        return try FileLog.make(
            for: storeID, on: disk, options, entropy: SeededEntropy(seed: 8),
            framing: Self.framing)
    }

    /// The id of another store.
    static let foreignID = StoreID(from: SeededEntropy(seed: 9))

    func inspect(_ disk: any Disk) throws -> LogInspection {
        try LogInspection(of: disk, options, framing: Self.framing)
    }

    func scan(_ disk: any Disk) throws -> DamageScan {
        try DamageScan(of: disk, options, framing: Self.framing)
    }

    func open(_ disk: any Disk) throws -> (FileLog, LogRecovery) {
        try FileLog.open(inspect(disk), on: disk, options)
    }
}

extension LogEngine {
    /// Appends the next `count` batches.
    @discardableResult
    func append(_ count: Int, deferring: Bool = false) throws -> LogPosition {
        var position = end
        for _ in 0..<count {
            let number = end.head.sequence + 1
            position = try append(
                LogFixture.batch(number), as: number, deferring: deferring)
        }
        return position
    }

    func append(
        _ batch: [UInt8], as number: UInt64, deferring: Bool = false
    ) throws -> LogPosition {
        try batch.withUnsafeBytes { bytes in
            try append(bytes, as: number, timeBefore: Int64(clamping: number), deferring: deferring)
        }
    }
}

extension LogReader {
    /// The batches from `first` through `last`; nil for that of `head`.
    func batches(from first: UInt64 = 1, through last: UInt64? = nil) throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        var next = first
        while next <= last ?? head.sequence, let chunk = try chunk(containing: next) {
            _ = chunk.forEach(from: next) { _, bytes in
                all.append([UInt8](bytes))
                return true
            }
            next = chunk.lastSequence + 1
        }
        return all
    }
}

/// The first `count` batches.
func expected(_ count: UInt64, from first: UInt64 = 1) -> [[UInt8]] {
    first > count ? [] : (first...count).map { LogFixture.batch($0) }
}

/// The code of the error that `body` throws; nil if it throws none.
func logCode(_ body: () throws -> Void) -> LogError.Code? {
    failure(as: LogError.self, body)?.code
}
