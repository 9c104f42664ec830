import Foundation
import Skyros

/// Finds out which id is meant by a word on the command line.
///
/// Ids have kinds, words have none: "7" may be a number or a text. All readings are tried, and
/// the one that the store knows is meant.
struct RecordFinder {
    /// What the word may stand for: a UUID, a JSON value, or just text.
    let candidates: [RecordID]

    init(_ word: String) throws {
        var values: [FieldValue] = []
        if let uuid = UUID(uuidString: word) { values.append(.uuid(uuid)) }
        if let value = try? FieldValue(json: word) { values.append(value) }
        values.append(.text(word))
        candidates = try values.map { try RecordID($0) }
    }

    /// The id that is meant among all that an entity ever had; nil if there never was one.
    func id(
        of entity: String, in archive: Archive, progress: (SequenceNumber) -> Void
    ) throws -> RecordID? {
        var best: Int?
        var events = archive.events().makeIterator()
        while best != 0, let event = try events.next() {
            for change in event.changes where change.entity == entity {
                let place = change.id.flatMap { candidates.firstIndex(of: $0) }
                if let place { best = min(best ?? place, place) }
            }
            progress(event.sequence)
        }
        return best.map { candidates[$0] }
    }

    /// The record that is meant, in this state.
    func record(_ entity: String, in state: Snapshot) throws -> Record? {
        for id in candidates {
            if let record = try state.record(entity, id) { return record }
        }
        return nil
    }
}
