/// The domain command of an undo's event: which events it takes back.
///
/// It is stored as `skyros.undo`, so that the log itself says what was undone:
///
///     if let undo = event.undo { print(event.metadata.actor ?? "-", "took back", undo.ranges) }
public struct UndoEvents: DomainCommand, Hashable {
    /// The step of an ``UndoStack`` that wrote the event.
    public enum Step: String, Hashable, Sendable, Codable {
        /// It took back edits.
        case undo
        /// It took back such an undo.
        case redo
    }

    /// `skyros.undo`
    public static let commandName = "skyros.undo"

    /// The events that were taken back: ascending ranges with gaps between them.
    public let ranges: [ClosedRange<SequenceNumber>]
    /// The correlation by which they were chosen, if they were.
    public let correlation: String?
    /// What was to be done about conflicts.
    public let resolution: UndoResolution
    /// The step of an ``UndoStack``; nil if the event was written by `Store.undo`.
    public let step: Step?
    /// The name of that step.
    public let name: String?

    init(
        _ ranges: [ClosedRange<SequenceNumber>], correlation: String? = nil,
        resolution: UndoResolution, step: Step? = nil, name: String? = nil
    ) {
        self.ranges = ranges
        self.correlation = correlation
        self.resolution = resolution
        self.step = step
        self.name = name
    }
}

extension UndoEvents: Codable {
    private enum CodingKeys: String, CodingKey {
        case events, correlation, resolution, step, name
    }

    /// Encodes each range as an array of its first and last event.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ranges.map { [$0.lowerBound, $0.upperBound] }, forKey: .events)
        try container.encodeIfPresent(correlation, forKey: .correlation)
        try container.encode(resolution, forKey: .resolution)
        try container.encodeIfPresent(step, forKey: .step)
        try container.encodeIfPresent(name, forKey: .name)
    }

    /// - Throws: `DecodingError` if a range is not two ascending numbers, or not after the one
    ///   before it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var ranges: [ClosedRange<SequenceNumber>] = []
        for pair in try container.decode([[SequenceNumber]].self, forKey: .events) {
            guard pair.count == 2, pair[0] <= pair[1],
                pair[0] > ranges.last?.upperBound ?? .zero
            else {
                throw DecodingError.dataCorruptedError(
                    forKey: .events, in: container, debugDescription: "no ranges of events")
            }
            ranges.append(pair[0]...pair[1])
        }
        self.ranges = ranges
        correlation = try container.decodeIfPresent(String.self, forKey: .correlation)
        resolution = try container.decode(UndoResolution.self, forKey: .resolution)
        step = try container.decodeIfPresent(Step.self, forKey: .step)
        name = try container.decodeIfPresent(String.self, forKey: .name)
    }
}

extension Event {
    /// Which events this one takes back; nil if it is no undo.
    public var undo: UndoEvents? {
        guard let intent, intent.name == UndoEvents.commandName else { return nil }
        return try? intent.decode(as: UndoEvents.self)
    }
}
