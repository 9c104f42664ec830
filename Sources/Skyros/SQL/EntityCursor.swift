import SkyrosSQLite

/// A position in the rows of an `EntityTable`.
final class EntityCursor: VirtualCursor {
    private let table: EntityTable
    private var rows: [Row] = []
    private var position = 0
    /// The record of the current row; nil until a column is read.
    private var record: [UInt8]?
    /// The places of the fields in the record, by the columns of the plan; empty if it has none.
    private var fields: [Range<Int>]

    init(_ table: EntityTable) {
        self.table = table
        fields = Array(repeating: 0..<0, count: table.plan.columns.count)
    }

    var isAtEnd: Bool { position >= rows.count }

    var rowNumber: Int64 { isAtEnd ? 0 : Int64(rows[position].number) }

    func start(_ plan: Int32, _ values: [VirtualValue]) throws {
        position = 0
        record = nil
        switch table.plans[Int(plan)] {
        case .scan: rows = table.rows
        case .row:
            if case .integer(let number)? = values.first {
                rows = table.row(number)
            } else {
                rows = table.rows
            }
        case .column(let column, let operators):
            rows = try table.find(column, Array(zip(operators, values))) ?? table.rows
        }
    }

    func advance() {
        position += 1
        record = nil
    }

    func value(of column: Int, to result: VirtualResult) throws {
        let row = rows[position]
        switch column {
        case 0: result.set(integer: Int64(row.number))
        case 1: row.id.bytes.withUnsafeBytes { result.set(blob: $0) }
        case 2: try currentRecord().withUnsafeBytes { result.set(blob: $0) }
        default:
            let place = table.places[column - EntityTable.hiddenCount]
            let kind = table.plan.columns[place].kind
            try currentRecord().withUnsafeBytes { record in
                let range = fields[place]
                guard !range.isEmpty else { return }
                let value = UnsafeRawBufferPointer(rebasing: record[range])
                result.set(ColumnValue.queried(value, of: record, in: kind))
            }
        }
    }

    /// The record of the current row; finds its fields.
    private func currentRecord() throws -> [UInt8] {
        if let record { return record }
        let bytes = table.record(of: rows[position])
        try bytes.withUnsafeBytes { record in
            _ = try table.plan.spread(record) { index, value in
                fields[index] = value.map { record.range(of: $0) } ?? 0..<0
            }
        }
        record = bytes
        return bytes
    }
}

extension ColumnValue {
    /// What the tables of queries show of a field: as `shown`, with dates as ISO 8601. O(n).
    static func queried(
        _ value: UnsafeRawBufferPointer, of record: UnsafeRawBufferPointer, in kind: ColumnKind
    ) -> ColumnValue {
        guard kind == .date || kind == .json else { return shown(value, of: record, in: kind) }
        guard let value = try? FieldValue(cbor: value), value != .null else { return .null }
        let text = kind == .date ? value.readableString : nil
        return .text(text ?? value.readableText())
    }
}

extension VirtualResult {
    /// Sets the value of a column.
    func set(_ value: ColumnValue) {
        switch value {
        case .null: break
        case .integer(let number): set(integer: number)
        case .real(let number): set(real: number)
        case .text(let text): set(text: text)
        case .utf8(let text): set(text: text)
        case .blob(let bytes): set(blob: bytes)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The place of a part of this buffer.
    func range(of part: UnsafeRawBufferPointer) -> Range<Int> {
        guard let start = baseAddress, let first = part.baseAddress else { return 0..<0 }
        let offset = first - start
        return offset..<offset + part.count
    }
}
