/// The rows that changed since the last checkpoint: what the next one has to write.
///
/// A mark costs a writer one append to an array. The checkpoint, which runs in the background,
/// keeps the newest mark of each row.
package struct DirtyRows: Sendable {
    /// One change of a row.
    struct Mark: Sendable {
        /// The row's number and hash, by which its table finds it.
        let number: UInt64
        let hash: UInt64
        /// The event that changed it.
        let sequence: SequenceNumber
    }

    /// One entity's changes.
    struct Rows: Sendable {
        let entity: String
        /// Whether all rows were deleted first.
        var isCleared = false
        /// The rows changed since, with repetitions. Which of them are still there, and with
        /// what content, the snapshot knows.
        fileprivate(set) var marks: [Mark] = []

        /// The newest mark of each row, in the order of the rows' numbers. O(n log n).
        var newestMarks: [Mark] {
            var newest: [Mark] = []
            for mark in marks.sorted(by: { ($0.number, $0.sequence) < ($1.number, $1.sequence) }) {
                if newest.last?.number == mark.number { newest.removeLast() }
                newest.append(mark)
            }
            return newest
        }

        /// Drops the marks that newer ones replace, if there are many more than `rowCount`.
        fileprivate mutating func compact(toAbout rowCount: Int) {
            if marks.count > 2 * rowCount + 1_000_000 { marks = newestMarks }
        }
    }

    /// What changed in each table, by the table's index in the snapshot; nil where nothing did.
    private(set) var tables: [Rows?] = []
    /// Whether changes are marked at all: a fold for readers needs no marks.
    let isRecording: Bool

    init(isRecording: Bool = true) {
        self.isRecording = isRecording
    }

    /// Marks that `event` changed a row of the table at `index`.
    mutating func mark(
        _ row: Row, of event: SequenceNumber, in entity: String, at index: Int
    ) {
        guard isRecording else { return }
        addTables(through: index)
        if tables[index] == nil { tables[index] = Rows(entity: entity) }
        tables[index]?.marks.append(
            Mark(number: row.number, hash: row.hash, sequence: event))
    }

    /// Marks that all rows of the table at `index` were deleted.
    mutating func markCleared(_ entity: String, at index: Int) {
        guard isRecording else { return }
        addTables(through: index)
        tables[index] = Rows(entity: entity, isCleared: true)
    }

    /// Adds the marks of later events.
    mutating func append(_ later: DirtyRows) {
        for (index, rows) in later.tables.enumerated() {
            guard let rows else { continue }
            addTables(through: index)
            if rows.isCleared || tables[index] == nil {
                tables[index] = rows
            } else {
                tables[index]?.marks += rows.marks
            }
        }
    }

    /// Bounds the memory of the marks of a long fold: about as many as `snapshot` has rows.
    mutating func compact(for snapshot: Snapshot) {
        for (index, table) in snapshot.tables.enumerated() where index < tables.count {
            tables[index]?.compact(toAbout: table.count)
        }
    }

    private mutating func addTables(through index: Int) {
        while tables.count <= index { tables.append(nil) }
    }
}
