/// The events that an undo takes back.
///
///     try store.undo(.event(4_711), by: "bob")
///     try store.undo(.events(4_711...4_720), by: "bob")
///     try store.undo(.correlation("import-7"), by: "bob", because: "wrong file")
public struct UndoTarget: Hashable, Sendable {
    enum Selection: Hashable, Sendable {
        /// Ascending ranges that do not touch.
        case ranges([ClosedRange<SequenceNumber>])
        case correlation(String)
    }

    let selection: Selection

    /// The correlation by which the events are chosen, if they are.
    var correlation: String? {
        if case .correlation(let correlation) = selection { correlation } else { nil }
    }

    /// One event.
    public static func event(_ sequence: SequenceNumber) -> UndoTarget {
        events(sequence...sequence)
    }

    /// All events of a range.
    public static func events(_ range: ClosedRange<SequenceNumber>) -> UndoTarget {
        UndoTarget(selection: .ranges([range]))
    }

    /// Some events, in any order; one that is named twice counts once.
    public static func events(_ sequences: [SequenceNumber]) -> UndoTarget {
        UndoTarget(selection: .ranges(sequences.sorted().ranges))
    }

    /// All events with this correlation, such as those of one import or of one request.
    public static func correlation(_ correlation: String) -> UndoTarget {
        UndoTarget(selection: .correlation(correlation))
    }
}

extension [SequenceNumber] {
    /// The longest ranges without gaps that these ascending numbers make.
    var ranges: [ClosedRange<SequenceNumber>] {
        var ranges: [ClosedRange<SequenceNumber>] = []
        for sequence in self {
            if let last = ranges.last, sequence <= last.upperBound.advanced(by: 1) {
                ranges[ranges.count - 1] = last.lowerBound...sequence
            } else {
                ranges.append(sequence...sequence)
            }
        }
        return ranges
    }
}

extension [ClosedRange<SequenceNumber>] {
    /// The ranges as text: `3, 5–7`.
    var text: String {
        map { range in
            range.lowerBound == range.upperBound
                ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
        }.joined(separator: ", ")
    }
}
