/// Records that are written together: far below the limit of an event.
package struct RecordBatch {
    package private(set) var records: [Record] = []
    private var byteCount = 0

    private static let recordsMax = 1_000
    private static let bytesMax = 4 << 20

    package init() {}

    package mutating func add(_ record: Record) {
        records.append(record)
        byteCount += record.fields.bytes.count
    }

    package var isFull: Bool { records.count >= Self.recordsMax || byteCount >= Self.bytesMax }
}
