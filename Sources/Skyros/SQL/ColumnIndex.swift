import SkyrosDisk
import SkyrosSQLite

/// An index of a column that a query looks up repeatedly, made on demand.
///
/// It finds at least the rows whose value SQL finds equal, and may find others: numbers are
/// compared as floats.
struct ColumnIndex {
    private var numbers: [(key: Double, position: Int32)] = []
    private var strings: [(key: [UInt8], position: Int32)] = []

    /// The index of the column at `place` of a plan. O(n log n).
    init(_ table: EntityTable, at place: Int) throws {
        let plan = table.plan
        let kind = plan.columns[place].kind
        for (position, row) in table.rows.enumerated() {
            try table.record(of: row).withUnsafeBytes { record in
                _ = try plan.spread(record) { index, value in
                    guard index == place else { return }
                    add(value, of: record, kind, Int32(position))
                }
            }
        }
        numbers.sort { ($0.key, $0.position) < ($1.key, $1.position) }
        strings.sort { a, b in
            a.key == b.key ? a.position < b.position : a.key.lexicographicallyPrecedes(b.key)
        }
    }

    private mutating func add(
        _ value: UnsafeRawBufferPointer?, of record: UnsafeRawBufferPointer, _ kind: ColumnKind,
        _ position: Int32
    ) {
        guard let value else { return }
        switch ColumnValue.queried(value, of: record, in: kind) {
        case .null: break
        case .integer(let number): numbers.append((Double(number), position))
        case .real(let number): numbers.append((number, position))
        case .text(let text): strings.append((Array(text.utf8), position))
        case .utf8(let bytes), .blob(let bytes): strings.append((Array(bytes), position))
        }
    }

    /// The positions of the rows with this value, in ascending order. O(log n + rows found).
    func positions(of value: VirtualValue) -> [Int] {
        switch value {
        case .null: []
        case .integer(let number): positions(of: Double(number))
        case .real(let number): positions(of: number)
        case .text(let bytes), .blob(let bytes): positions(of: bytes)
        }
    }

    private func positions(of number: Double) -> [Int] {
        let first = numbers.partitioningIndex { $0.key >= number }
        return numbers[first...].prefix { $0.key == number }.map { Int($0.position) }
    }

    private func positions(of bytes: [UInt8]) -> [Int] {
        let first = strings.partitioningIndex { !$0.key.lexicographicallyPrecedes(bytes) }
        return strings[first...].prefix { $0.key == bytes }.map { Int($0.position) }
    }
}
