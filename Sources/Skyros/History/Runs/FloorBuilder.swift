import SkyrosLog

/// Writes the content of a floor.
struct FloorBuilder {
    /// What the floor says of itself.
    private var head: FloorHead
    private let state: Snapshot
    private let stamps: RecordStamps

    /// - Parameter state: the state after the last event that is pruned.
    init(_ head: FloorHead, _ state: Snapshot, _ stamps: RecordStamps) throws {
        self.head = head
        self.head.digest = try state.digest()
        self.head.recordCount = state.recordCount
        self.head.schemas = state.schemas
        self.state = state
        self.stamps = stamps
    }

    /// Writes the frames, and returns the index.
    func write(to writer: inout FloorWriter) throws -> [UInt8] {
        try writer.append(head.bytes)
        var frames = RunFrames(frameBytes: FloorState.frameBytes)
        var buffer = CBORWriter()
        let tables = state.tables.indices.sorted { a, b in
            state.tables[a].entity.utf8.lexicographicallyPrecedes(state.tables[b].entity.utf8)
        }
        for index in tables {
            let table = state.tables[index]
            for row in table.sortedRows() {
                buffer.removeAll(keepingCapacityUpTo: 1 << 20)
                version(of: row, inTable: index).append(to: &buffer)
                let key = HistoryKey(table.entity, row.id)
                try key.bytes.withUnsafeBytes { key in
                    try buffer.withUnsafeBytes {
                        try frames.append(key, $0) { try writer.append($0) }
                    }
                }
            }
        }
        return try frames.finish { try writer.append($0) }.bytes
    }

    private func version(of row: Row, inTable index: Int) -> RecordVersion {
        let stamp = stamps.stamp(of: row, inTable: index)
        return RecordVersion(
            kind: .kept, sequence: stamp?.sequence ?? state.sequence,
            time: stamp?.time ?? state.time, shape: row.version, image: .record(row.bytes),
            about: nil)
    }

    /// Throws unless a floor that was read back holds what was written.
    func check(_ file: LogFloor) throws(LogError) {
        do {
            var (copy, unused) = (
                Snapshot(.untyped, beginning: state.chainHash, hashSeed: state.hashSeed),
                DirtyRows(isRecording: false)
            )
            let floor = try FloorState(file)
            try copy.fold { copy in copy = try floor.state(into: copy, marking: &unused) }
            guard copy.sequence == state.sequence, copy.chainHash == state.chainHash,
                copy.schemas == state.schemas, floor.keys.events.elementsEqual(head.keys),
                floor.correlations == head.correlations
            else { throw file.damage("it is not what was written") }
        } catch let error as LogError {
            throw error
        } catch let error as StoreError where error.code != .logCorrupt {
            // It could not be read: nothing is known of its content.
            throw LogError(.io, error.message, in: file.path)
        } catch {
            throw file.damage("\(error)")
        }
    }
}

/// The newest event of each record, and its time.
struct RecordStamps {
    typealias Stamp = (sequence: SequenceNumber, time: EventTime)

    /// For each table, by the numbers of the rows.
    private var tables: [[UInt64: Stamp]] = []

    mutating func note(_ row: Row, inTable table: Int, _ event: SequenceNumber, _ time: EventTime) {
        note(row.number, inTable: table, event, time)
    }

    /// Takes a newer event for a row.
    mutating func note(
        _ row: UInt64, inTable table: Int, _ event: SequenceNumber, _ time: EventTime
    ) {
        while tables.count <= table { tables.append([:]) }
        tables[table][row] = (event, time)
    }

    func stamp(of row: Row, inTable table: Int) -> Stamp? {
        table < tables.count ? tables[table][row.number] : nil
    }
}
