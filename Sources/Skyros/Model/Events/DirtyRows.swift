/// The rows that changed since some moment: what a checkpoint has to write.
///
/// A note costs a writer one append to an array; a row that changed twice is sorted out by the
/// checkpoint, which runs in the background.
package struct DirtyRows: Sendable {
    /// One change of a row, by what finds it in a table again.
    struct Note: Sendable {
        let number: UInt64
        let hash: UInt64
    }

    /// One entity's changes.
    struct Rows: Sendable {
        let entity: String
        /// Whether all rows went away first.
        var isCleared = false
        /// The rows touched since, with repetitions. Which of them are still there, and with
        /// what content, the snapshot knows.
        fileprivate(set) var notes: [Note] = []

        /// The rows touched, each once, in the order of their numbers. O(n log n).
        var distinctNotes: [Note] {
            var distinct: [Note] = []
            for note in notes.sorted(by: { $0.number < $1.number })
            where distinct.last?.number != note.number {
                distinct.append(note)
            }
            return distinct
        }
    }

    /// What changed in each table, by the table's place in the snapshot; nil where nothing did.
    private(set) var tables: [Rows?] = []
    /// Whether anything is noted at all: a fold for reading alone needs no notes.
    let isRecording: Bool

    init(isRecording: Bool = true) {
        self.isRecording = isRecording
    }

    /// Notes that a row of the table at `index` was touched.
    mutating func mark(_ row: Row, in entity: String, at index: Int) {
        guard isRecording else { return }
        makeRoom(for: index)
        if tables[index] == nil { tables[index] = Rows(entity: entity) }
        tables[index]?.notes.append(Note(number: row.number, hash: row.hash))
    }

    /// Notes that the table at `index` lost all its rows.
    mutating func markCleared(_ entity: String, at index: Int) {
        guard isRecording else { return }
        makeRoom(for: index)
        tables[index] = Rows(entity: entity, isCleared: true)
    }

    /// Notes what was touched after this.
    mutating func append(_ later: DirtyRows) {
        for (index, rows) in later.tables.enumerated() {
            guard let rows else { continue }
            makeRoom(for: index)
            if rows.isCleared || tables[index] == nil {
                tables[index] = rows
            } else {
                tables[index]?.notes += rows.notes
            }
        }
    }

    private mutating func makeRoom(for index: Int) {
        while tables.count <= index { tables.append(nil) }
    }
}
