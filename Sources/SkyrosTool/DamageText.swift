import Skyros

/// Formats damage as JSON and as text.
enum DamageText {
    /// The stable JSON form; see the command-line contract in docs/mapping.md.
    static func json(_ damage: DamageReport.Damage) -> FieldValue {
        var object: NamedValues<FieldValue> = [
            "code": .text(damage.code.name), "message": .text(damage.message),
            "segment": .text(damage.segment), "isBelowDurable": .bool(damage.isBelowDurable),
            "isReadable": .bool(damage.isReadable), "isOpenEnded": .bool(damage.isOpenEnded),
        ]
        object["offset"] = damage.offset.map { .integer(Int128($0)) }
        object["frame"] = damage.frame.map { .integer(Int128($0)) }
        if let sequences = damage.sequences {
            object = object.merging(json(sequences)) { $1 }
        }
        return .map(object)
    }

    /// The same of what a scrub has found.
    static func json(_ damage: ScrubReport.Damage) -> FieldValue {
        var object: NamedValues<FieldValue> = [
            "code": .text(damage.code.name), "message": .text(damage.message),
            "file": .text(damage.file), "foundAt": .text(damage.foundAt.description),
        ]
        object["offset"] = damage.offset.map { .integer(Int128($0)) }
        return .map(object.merging(json(damage.sequences)) { $1 })
    }

    /// A line with the position of a scrub, and the end of the last one.
    static func line(_ scrub: ScrubReport) -> String {
        let end = scrub.finishedAt.map { "all sealed segments read by \($0)" }
        let next = scrub.position.map { "next is event \($0)" }
        return [end, next].compactMap(\.self).joined(separator: "; ")
    }

    /// A line with the place, the events, the problem and when it was found.
    static func line(_ damage: ScrubReport.Damage) -> String {
        var text = damage.file
        if let offset = damage.offset { text += " at byte \(offset)" }
        return text + ": \(line(damage.sequences)): \(damage.message), found \(damage.foundAt)"
    }

    static func json(_ ranges: [ClosedRange<SequenceNumber>]) -> FieldValue {
        .array(ranges.map { .map(json($0)) })
    }

    private static func json(_ range: ClosedRange<SequenceNumber>) -> NamedValues<FieldValue> {
        [
            "from": .integer(Int128(range.lowerBound.rawValue)),
            "to": .integer(Int128(range.upperBound.rawValue)),
        ]
    }

    /// A line with the place, the events and the problem.
    static func line(_ damage: DamageReport.Damage) -> String {
        var text = damage.segment
        if let offset = damage.offset { text += " at byte \(offset)" }
        if let frame = damage.frame { text += ", frame \(frame)" }
        text += ": \(events(damage)): \(damage.message)"
        return damage.isBelowDurable ? text : text + " (above the durable watermark)"
    }

    private static func events(_ damage: DamageReport.Damage) -> String {
        guard let sequences = damage.sequences else { return "no events" }
        var text = line(sequences)
        if damage.isOpenEnded { text += " and later" }
        return damage.isReadable ? text + ", still readable" : text
    }

    /// The events that a log holds; after a floor, also the state before them.
    static func extent(from first: SequenceNumber, through last: SequenceNumber) -> String {
        guard first > 1 else { return "\(last) events" }
        let state = "the state before event \(first)"
        return first > last ? state : "\(state) and \(line(first...last))"
    }

    static func line(_ range: ClosedRange<SequenceNumber>) -> String {
        range.lowerBound == range.upperBound
            ? "event \(range.lowerBound)" : "events \(range.lowerBound) to \(range.upperBound)"
    }
}
