import Foundation
import Skyros

/// A moment on the command line: the number of an event, `-10` for the state before the last ten
/// events, or a time. A date means its end.
enum MomentArgument: Equatable {
    case sequence(SequenceNumber)
    case back(UInt64)
    case time(EventTime)

    /// - Throws: `UsageError` if the text is none.
    init(_ text: String, for name: String) throws {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        if let number = UInt64(digits: digits) {
            self = text.hasPrefix("-") ? .back(number) : .sequence(SequenceNumber(rawValue: number))
        } else if let time = try TimeArgument(text) {
            self = .time(time.last)
        } else {
            throw UsageError(
                "\(name) takes the number of an event, -10 for the tenth before the last, "
                    + "or \(TimeArgument.forms), not \"\(text)\"")
        }
    }

    /// The moment in this archive.
    ///
    /// - Throws: `StoreError` with `.noSuchEvent` if the log has fewer events.
    func moment(in archive: Archive) throws -> Moment {
        switch self {
        case .sequence(let sequence): return .sequence(sequence)
        case .time(let time): return .date(time.date)
        case .back(let count):
            let last = archive.sequence.rawValue
            guard count <= last else {
                throw StoreError(
                    .noSuchEvent, "the store has only \(last) events; -\(count) is before them")
            }
            return .sequence(SequenceNumber(rawValue: last - count))
        }
    }
}

extension UInt64 {
    /// The number that consists of these decimal digits and nothing else.
    init?(digits: some StringProtocol) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.init(String(digits))
    }
}

extension ClosedRange<SequenceNumber> {
    /// The events that a word such as `4711` or `4711-4720` names; nil if it is none.
    init?(events word: String) {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt64(digits: $0) }
            .map { SequenceNumber(rawValue: $0) }
        guard let first = numbers.first, let last = numbers.last, first <= last,
            numbers.count == parts.count, numbers.count <= 2
        else { return nil }
        self = first...last
    }
}
