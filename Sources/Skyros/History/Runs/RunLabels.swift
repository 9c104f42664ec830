/// The labels of the events of a run, with the numbers of the events that have them.
struct RunLabels {
    private var places: [HistoryKey: Int] = [:]
    /// The events of each label, in order.
    private var sequences: [[UInt64]] = []
    private var last: Likeness?

    /// An event that changes one record, and its labels: neighbours are often alike in all that
    /// labels are made of, byte for byte.
    private struct Likeness {
        let about: [UInt8]
        let entity: String
        let places: [Int]
    }

    /// Adds an event, which follows those before.
    ///
    /// - Parameter about: the bytes of its metadata and intent, if they are at hand.
    mutating func append(_ event: Event, _ about: [UInt8]?) {
        for place in places(of: event, about) { sequences[place].append(event.sequence.rawValue) }
    }

    /// Calls `body` with the labels in the order of their keys.
    func forEach(_ body: (HistoryKey, [UInt64]) throws -> Void) rethrows {
        for (key, place) in places.sorted(by: { $0.key < $1.key }) {
            try body(key, sequences[place])
        }
    }

    private mutating func places(of event: Event, _ about: [UInt8]?) -> [Int] {
        let isPlain = event.changes.count == 1 && event.key == nil && event.schemas.isEmpty
        guard isPlain, let about, let entity = event.changes.first?.entity else {
            return makePlaces(of: event)
        }
        if let last, last.about == about, last.entity.isSameName(as: entity) { return last.places }
        let places = makePlaces(of: event)
        last = Likeness(about: about, entity: entity, places: places)
        return places
    }

    private mutating func makePlaces(of event: Event) -> [Int] {
        EventLabel.keys(of: event).map { key in
            if let place = places[key] { return place }
            places[key] = sequences.count
            sequences.append([])
            return sequences.count - 1
        }
    }
}
