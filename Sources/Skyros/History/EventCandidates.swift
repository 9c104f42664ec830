import SkyrosDisk
import SkyrosLog

/// Events that are to be read, in ascending order.
enum EventCandidates {
    case all(ClosedRange<UInt64>)
    case some(ArraySlice<UInt64>)

    static let none = EventCandidates.some([])

    var isEmpty: Bool { first == nil }

    var first: UInt64? {
        switch self {
        case .all(let range): range.lowerBound
        case .some(let list): list.first
        }
    }

    var last: UInt64? {
        switch self {
        case .all(let range): range.upperBound
        case .some(let list): list.last
        }
    }

    /// Those in a range. O(log n).
    func clamped(to range: ClosedRange<UInt64>) -> EventCandidates {
        switch self {
        case .all(let all): return all.overlaps(range) ? .all(all.clamped(to: range)) : .none
        case .some(let list):
            let start = list.partitioningIndex { $0 >= range.lowerBound }
            let end = list.partitioningIndex { $0 > range.upperBound }
            return .some(list[start..<end])
        }
    }

    /// Returns those of a chunk of the log that has the first or the last one, and removes them.
    mutating func take(_ chunk: LogChunk, newestFirst: Bool) -> EventCandidates {
        let taken = clamped(to: chunk.firstSequence...chunk.lastSequence)
        let rest = newestFirst ? 0...chunk.firstSequence - 1 : chunk.lastSequence + 1...UInt64.max
        self = clamped(to: rest)
        return taken
    }
}

extension EventReader {
    /// Reads the candidates of one chunk of the log, the first or the last, and removes them.
    ///
    /// - Returns: those that pass, in ascending order.
    func events(
        _ candidates: inout EventCandidates, newestFirst: Bool, where passes: (Event) -> Bool
    ) throws -> [Event] {
        guard let next = newestFirst ? candidates.last : candidates.first,
            let chunk = try chunk(containing: next)
        else {
            candidates = .none
            return []
        }
        let taken = candidates.take(chunk, newestFirst: newestFirst)
        guard let first = taken.first, let last = taken.last else { return [] }
        var rest = taken
        var events: [Event] = []
        _ = try chunk.forEach(from: first) { sequence, bytes in
            guard sequence <= last else { return false }
            if case .some(let list) = rest {
                guard list.first == sequence else { return true }
                rest = .some(list.dropFirst())
            }
            let expected = SequenceNumber(rawValue: sequence)
            let event = try EventCoding.event(from: bytes, expecting: expected)
            if passes(event) { events.append(event) }
            return true
        }
        return events
    }
}
