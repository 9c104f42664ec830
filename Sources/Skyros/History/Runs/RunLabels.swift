/// The labels of the events of a run, with the numbers of the events that have them.
struct RunLabels {
    private var places: [HistoryKey: Int] = [:]
    /// The events of each label, in order.
    private var sequences: [[UInt64]] = []
    private var last: Likeness?

    /// What events have in common that have the same labels, and these: neighbours are often alike.
    private struct Likeness {
        let aboutNumber: Int
        let entity: [UInt8]
        let places: [Int]
    }

    /// Adds an event, which follows those before.
    mutating func append(_ event: Event) {
        add(event.sequence, to: places(of: EventLabel.keys(of: event)))
    }

    /// Adds an event of which `bytes` are the bytes, which follows those before.
    mutating func append(
        _ outline: EventOutline, _ sequence: SequenceNumber, in bytes: UnsafeRawBufferPointer
    ) {
        if let last, last.aboutNumber == outline.aboutNumber,
            last.entity.withUnsafeBytes({ entity in
                outline.changes.allSatisfy { bytes.equals(entity, at: $0.entity) }
            })
        {
            add(sequence, to: last.places)
            return
        }
        let entities = outline.changes.map { String(decoding: bytes[$0.entity], as: UTF8.self) }
        let (metadata, intent) = outline.decodedAbout
        let places = places(of: EventLabel.keys(metadata, intent, entities: entities))
        add(sequence, to: places)
        guard let first = outline.changes.first,
            entities.allSatisfy({ $0.isSameName(as: entities[0]) })
        else { return }
        last = Likeness(
            aboutNumber: outline.aboutNumber, entity: Array(bytes[first.entity]), places: places)
    }

    /// Calls `body` with the labels in the order of their keys.
    func forEach(_ body: (HistoryKey, [UInt64]) throws -> Void) rethrows {
        for (key, place) in places.sorted(by: { $0.key < $1.key }) {
            try body(key, sequences[place])
        }
    }

    private mutating func add(_ sequence: SequenceNumber, to places: [Int]) {
        for place in places { sequences[place].append(sequence.rawValue) }
    }

    private mutating func places(of labels: [HistoryKey]) -> [Int] {
        labels.map { label in
            if let place = places[label] { return place }
            places[label] = sequences.count
            sequences.append([])
            return sequences.count - 1
        }
    }
}
