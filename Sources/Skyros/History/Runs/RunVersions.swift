import SkyrosLog

/// The versions of a run while it is made, in memory: the bytes of all of them one after the other,
/// so that no memory is allocated for each version.
struct RunVersions: ~Copyable {
    /// What a version is, and where its bytes are.
    private struct Item {
        let kind: RecordVersion.Kind
        let sequence: SequenceNumber
        let time: EventTime
        let shape: Int
        let place: Int
        /// Its entity's place in `entities`.
        let entity: Int
        /// The place in `abouts`; nil if the event in the log has it.
        let about: Int?
        /// Empty for a clearing.
        let id: Range<Int>
        /// The record, or the fields before the change; empty for a clearing.
        let image: Range<Int>
        /// The fields after the change of an update; otherwise empty.
        let after: Range<Int>
        /// The beginning of the id.
        let leadingWord: UInt64
    }

    private var items: [Item] = []
    private var bytes = CBORWriter(capacity: 1 << 16)
    private var entities: [[UInt8]] = []
    private var entityPlaces: [[UInt8]: Int] = [:]
    private var lastEntity = 0
    private var abouts: [[UInt8]] = []
    private var aboutNumber: Int?

    // MARK: Adding

    /// Adds the versions that an event makes.
    mutating func append(_ event: Event) {
        aboutNumber = nil
        for (key, version) in RecordVersion.list(of: event) {
            let entity = key.entity.withUnsafeBytes { place(ofEntity: $0) }
            let about = version.about.map { place(ofAbout: $0) }
            let (image, after): ([UInt8], [UInt8]) =
                switch version.image {
                case .record(let bytes): (bytes, [])
                case .difference(let before, let after): (before, after)
                case .absent: ([], [])
                }
            let id = key.id?.bytes.withUnsafeBytes { append($0) } ?? 0..<0
            items.append(
                Item(
                    kind: version.kind, sequence: version.sequence, time: version.time,
                    shape: version.shape, place: version.place, entity: entity, about: about,
                    id: id, image: image.withUnsafeBytes { append($0) },
                    after: after.withUnsafeBytes { append($0) },
                    leadingWord: key.id?.bytes.leadingWord ?? 0))
        }
    }

    /// Adds the versions that an event makes, of which `event` are the bytes.
    mutating func append(
        _ outline: EventOutline, _ sequence: SequenceNumber, in event: UnsafeRawBufferPointer
    ) {
        let about = place(ofAboutOf: outline)
        func part(_ range: Range<Int>?) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: event[range ?? 0..<0])
        }
        for change in outline.changes {
            let kind: RecordVersion.Kind =
                change.before == nil ? .inserted : change.after == nil ? .deleted : .updated
            let id = part(change.id)
            items.append(
                Item(
                    kind: kind, sequence: sequence, time: outline.time, shape: change.version,
                    place: 0, entity: place(ofEntity: part(change.entity)), about: about,
                    id: append(id), image: append(part(change.before ?? change.after)),
                    after: append(kind == .updated ? part(change.after) : part(nil)),
                    leadingWord: id.leadingWord))
        }
    }

    private mutating func append(_ part: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        bytes.append(raw: part)
        return start..<bytes.count
    }

    private mutating func place(ofEntity name: UnsafeRawBufferPointer) -> Int {
        if lastEntity < entities.count,
            entities[lastEntity].withUnsafeBytes({ $0.compare(name) == 0 })
        {
            return lastEntity
        }
        let name = Array(name)
        lastEntity = entityPlaces[name] ?? entities.count
        if lastEntity == entities.count {
            entities.append(name)
            entityPlaces[name] = lastEntity
        }
        return lastEntity
    }

    private mutating func place(ofAbout about: [UInt8]) -> Int {
        if abouts.last != about { abouts.append(about) }
        return abouts.count - 1
    }

    private mutating func place(ofAboutOf outline: EventOutline) -> Int? {
        let isStored = RecordVersion.storesAbout(
            byteCount: outline.about.count, changeCount: outline.changes.count)
        guard isStored else { return nil }
        if aboutNumber != outline.aboutNumber {
            aboutNumber = outline.aboutNumber
            return place(ofAbout: outline.about)
        }
        return abouts.count - 1
    }

    // MARK: In order

    /// The places of the versions in the order of their keys, those of a record in the order of
    /// their events; and the ranges in it that have the same key.
    func sorted() -> (order: [Int], groups: [Range<Int>]) {
        let names = entities.indices.sorted { entities[$0].lexicographicallyPrecedes(entities[$1]) }
        var ranks = [Int](repeating: 0, count: names.count)
        for (rank, place) in names.enumerated() { ranks[place] = rank }
        var sorted = items.indices.map { place in
            (rank: ranks[items[place].entity], word: items[place].leadingWord, place: place)
        }
        bytes.withUnsafeBytes { bytes in
            sorted.sort { a, b in
                if a.rank != b.rank { return a.rank < b.rank }
                if a.word != b.word, RecordID.haveOrderOfBytes(a.word, b.word) {
                    return a.word < b.word
                }
                return precedes(a.place, b.place, bytes)
            }
        }
        var groups: [Range<Int>] = []
        var start = 0
        for end in sorted.indices.dropFirst()
        where !isSameKey(sorted[end].place, sorted[start].place) {
            groups.append(start..<end)
            start = end
        }
        if !sorted.isEmpty { groups.append(start..<sorted.count) }
        return (sorted.map(\.place), groups)
    }

    /// Whether a version comes before another one of the same entity.
    private func precedes(_ a: Int, _ b: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let left = UnsafeRawBufferPointer(rebasing: bytes[items[a].id])
        let right = UnsafeRawBufferPointer(rebasing: bytes[items[b].id])
        if left.compare(right) == 0 { return a < b }
        // The clearings of an entity come before its records.
        if left.isEmpty || right.isEmpty { return left.isEmpty }
        if RecordID.haveOrderOfBytes(items[a].leadingWord, items[b].leadingWord) {
            return left.compare(right) < 0
        }
        return IDOrder.precedes(left, right)
    }

    private func isSameKey(_ a: Int, _ b: Int) -> Bool {
        let (a, b) = (items[a], items[b])
        guard a.entity == b.entity, a.leadingWord == b.leadingWord else { return false }
        return bytes.withUnsafeBytes { bytes in
            bytes.equals(UnsafeRawBufferPointer(rebasing: bytes[b.id]), at: a.id)
        }
    }

    // MARK: What they are

    func kind(at place: Int) -> RecordVersion.Kind { items[place].kind }

    func key(at place: Int) -> HistoryKey {
        let item = items[place]
        let id = bytes.withUnsafeBytes { bytes in
            item.id.isEmpty
                ? nil : RecordID(ByteString(UnsafeRawBufferPointer(rebasing: bytes[item.id])))
        }
        return HistoryKey(entity: entities[item.entity], id: id)
    }

    /// Appends the key of a version to `writer`, as `HistoryKey` does.
    func append(keyAt place: Int, to writer: inout CBORWriter) {
        let item = items[place]
        entities[item.entity].withUnsafeBytes { writer.append(utf8: $0) }
        if item.id.isEmpty { return writer.appendNull() }
        bytes.withUnsafeBytes { bytes in
            writer.append(raw: UnsafeRawBufferPointer(rebasing: bytes[item.id]))
        }
    }

    /// A version with the image of its event.
    func version(at place: Int) -> RecordVersion {
        let item = items[place]
        return bytes.withUnsafeBytes { bytes in
            let part = Array(bytes[item.image])
            let image: RecordVersion.Image =
                switch item.kind {
                case .cleared: .absent
                case .updated: .difference(before: part, after: Array(bytes[item.after]))
                case .inserted, .deleted, .kept: .record(part)
                }
            return RecordVersion(
                kind: item.kind, sequence: item.sequence, time: item.time, shape: item.shape,
                image: image, place: item.place, about: item.about.map { abouts[$0] })
        }
    }

    /// Appends an insertion, a deletion or a clearing to `writer`, as `RecordVersion` does.
    func append(versionAt place: Int, to writer: inout CBORWriter) {
        let item = items[place]
        bytes.withUnsafeBytes { bytes in
            let hasImage =
                item.kind != .cleared && item.image.count <= RecordVersion.differenceBytesMax
            RecordVersion.append(
                item.kind, item.sequence, item.time, item.shape, item.place,
                about: item.about.map { abouts[$0] }, to: &writer
            ) { writer in
                if hasImage {
                    writer.append(raw: UnsafeRawBufferPointer(rebasing: bytes[item.image]))
                } else {
                    writer.appendNull()
                }
            }
        }
    }
}
