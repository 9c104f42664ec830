/// The rows that changed since some moment: what a checkpoint has to write.
package struct TouchedRows: Sendable {
    /// One entity's changes.
    package struct Rows: Sendable {
        /// Whether all rows went away first.
        package var isCleared = false
        /// The ids of the rows touched since, by row number. Which of them are still there, and
        /// with what content, the snapshot knows.
        package var ids: [UInt64: RecordID] = [:]
    }

    package private(set) var entities: [String: Rows] = [:]
    /// Whether anything is noted at all: a fold for reading alone needs no notes.
    private let isRecording: Bool

    init(isRecording: Bool = true) {
        self.isRecording = isRecording
    }

    var isEmpty: Bool { entities.isEmpty }

    mutating func note(_ entity: String, _ row: Row) {
        guard isRecording else { return }
        entities[entity, default: Rows()].ids[row.number] = row.id
    }

    mutating func noteCleared(_ entity: String) {
        guard isRecording else { return }
        entities[entity] = Rows(isCleared: true)
    }

    /// Notes what was touched after this.
    mutating func append(_ later: TouchedRows) {
        for (entity, rows) in later.entities {
            if rows.isCleared {
                entities[entity] = rows
            } else {
                entities[entity, default: Rows()].ids.merge(rows.ids) { _, new in new }
            }
        }
    }
}
