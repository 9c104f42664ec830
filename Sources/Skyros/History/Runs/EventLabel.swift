/// What an event can be found by: its actor, its reason and the like, each as a text.
///
/// In runs and in their tail labels are keys with the empty entity, which no record has.
enum EventLabel {
    enum Kind: String {
        case actor, causation, correlation, entity, intent, key, reason
        /// That the event records the shape of an entity; the text is empty.
        case schema
        /// A tag's name.
        case tag
        /// A tag's name, with its value.
        case value
    }

    /// What follows is cut off from a label: it is found by its beginning, and the event decides.
    static let byteCountMax = 200

    /// The labels of an event, without repetition.
    static func keys(of event: Event) -> [HistoryKey] {
        keys(
            event.metadata, event.intent, event.key, recordsShapes: !event.schemas.isEmpty,
            entities: event.changes.lazy.map(\.entity))
    }

    /// The labels of an event with these parts, without repetition.
    ///
    /// - Parameter entities: those of its changes.
    static func keys(
        _ metadata: Metadata, _ intent: Intent?, _ key: String? = nil, recordsShapes: Bool = false,
        entities: some Sequence<String>
    ) -> [HistoryKey] {
        var keys: [HistoryKey] = []
        func add(_ kind: Kind, _ text: String?) {
            guard let text else { return }
            let key = Self.key(kind, text)
            // Two long texts may be one label.
            if !keys.contains(key) { keys.append(key) }
        }
        add(.actor, metadata.actor)
        add(.reason, metadata.reason)
        add(.intent, intent?.name)
        add(.key, key)
        add(.causation, metadata.causation)
        add(.correlation, metadata.correlation)
        if recordsShapes { add(.schema, "") }
        for (name, value) in metadata.tags {
            add(.tag, name)
            add(.value, tag(name, value))
        }
        var last: String?
        for entity in entities where last.map({ !entity.isSameName(as: $0) }) ?? true {
            last = entity
            add(.entity, entity)
        }
        return keys
    }

    /// A tag with its value, as a label.
    static func tag(_ name: String, _ value: String) -> String { "\(name)=\(value)" }

    /// The key of a label.
    static func key(_ kind: Kind, _ text: String) -> HistoryKey {
        HistoryKey(entity: [], id: RecordID(cut("\(kind.rawValue):\(text)")))
    }

    /// The text of a label of a kind; nil for other keys.
    static func text(of key: HistoryKey, _ kind: Kind) -> String? {
        guard key.isLabel, let label = key.id?.value.text?.utf8 else { return nil }
        let prefix = "\(kind.rawValue):".utf8
        return label.starts(with: prefix) ? String(label.dropFirst(prefix.count)) : nil
    }

    /// Whether a label may be the beginning of a longer text.
    static func isCut(_ text: String) -> Bool { text.utf8.count > byteCountMax - 20 }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > byteCountMax else { return text }
        return String(decoding: text.utf8.prefix(byteCountMax), as: UTF8.self)
    }
}
