import Foundation
import Skyros

/// Resolves an id on the command line.
///
/// Ids are typed, but words are not: "7" may be a number or a string. All interpretations are tried
/// in order, and the first one that the store knows counts.
struct RecordFinder {
    /// The possible ids: as a UUID, as a JSON value, as a string.
    let candidates: [RecordID]

    init(_ word: String) throws {
        var values: [FieldValue] = []
        if let uuid = UUID(uuidString: word) { values.append(.uuid(uuid)) }
        if let value = try? FieldValue(json: word) { values.append(value) }
        values.append(.text(word))
        candidates = try values.map { try RecordID($0) }
    }

    /// The first candidate among all ids that the entity ever had; nil if there is none.
    func id(
        of entity: String, in archive: Archive, progress: (SequenceNumber) -> Void
    ) throws -> RecordID? {
        try candidates.first { id in
            try !archive.history(of: entity, id, progress: progress).isEmpty
        }
    }

    /// The record of the first candidate in this state; nil if there is none.
    func record(_ entity: String, in state: Snapshot) throws -> Record? {
        for id in candidates {
            if let record = try state.record(entity, id) { return record }
        }
        return nil
    }
}
