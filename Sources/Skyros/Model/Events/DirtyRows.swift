/// The rows that changed since the last checkpoint, which the next one must write.
///
/// A mark costs a writer one append. The checkpoint, which runs in the background,
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
        /// The rows changed since, with repetitions. The snapshot has their content, and shows
        /// which of them were deleted.
        ///
        /// In chunks: an array that doubles would copy millions of marks while a writer waits.
        fileprivate var chunks: [[Mark]] = []

        private static let chunkMarksMax = 4_096

        fileprivate mutating func append(_ mark: Mark) {
            if chunks.last.map({ $0.count >= Self.chunkMarksMax }) ?? true {
                var chunk: [Mark] = []
                if !chunks.isEmpty { chunk.reserveCapacity(Self.chunkMarksMax) }
                chunks.append(chunk)
            }
            chunks[chunks.count - 1].append(mark)
        }

        /// A few marks are copied, so that small events do not fill the list with chunks of one.
        fileprivate mutating func append(_ later: Rows) {
            for chunk in later.chunks {
                if chunk.count > Self.copiedMarksMax {
                    chunks.append(chunk)
                } else {
                    for mark in chunk { append(mark) }
                }
            }
        }

        private static let copiedMarksMax = 64

        /// The newest mark of each row, in the order of the rows' numbers. O(n log n).
        var newestMarks: [Mark] {
            var newest: [Mark] = []
            let marks = chunks.joined().sorted { a, b in
                (a.number, a.sequence) < (b.number, b.sequence)
            }
            for mark in marks {
                if newest.last?.number == mark.number { newest.removeLast() }
                newest.append(mark)
            }
            return newest
        }

        /// The number of marks, repetitions included.
        var count: Int { chunks.reduce(0) { $0 + $1.count } }

        fileprivate mutating func compact(_ isNeeded: (Mark) -> Bool) {
            chunks = [newestMarks.filter(isNeeded)]
        }
    }

    /// The changes of each table, by the table's index in the snapshot; nil if there are none.
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
        tables[index]?.append(Mark(number: row.number, hash: row.hash, sequence: event))
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
                tables[index]?.append(rows)
            }
        }
    }

    /// Keeps the newest mark of each row in the table at `index`, if `isNeeded` is true for it.
    mutating func compactTable(at index: Int, _ isNeeded: (Mark) -> Bool) {
        tables[index]?.compact(isNeeded)
    }

    private mutating func addTables(through index: Int) {
        while tables.count <= index { tables.append(nil) }
    }
}
