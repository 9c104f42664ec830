import Foundation
import Skyros
import TestSupport

/// A random predicate, as Foundation's and as the library's own filter.
struct TwinPredicate<I: Indexing> {
    typealias T = Twin<I>

    /// Foundation's predicate; nil if it has no such form.
    let predicate: Predicate<T>?
    /// The library's filter; nil if it has no such form.
    let filter: Filter<T>?

    private init(_ predicate: Predicate<T>?, _ filter: Filter<T>? = nil) {
        (self.predicate, self.filter) = (predicate, filter)
    }

    /// The same for twins of both kinds if `values` is.
    init(_ values: inout TwinValues) {
        let (a, b, date, other) = (values.text(), values.text(), values.date(), values.date())
        let (note, due) = (values.perhaps { $0.text() }, values.perhaps { $0.date() })
        let (number, rank, tag) = (values.number(), values.random.below(5) - 2, values.uuid())
        let (score, level) = (Float(number), UInt8(values.random.below(3)))
        let (isOpen, kind) = (
            values.random.below(2) == 0, T.Kind.allCases[values.random.below(3)]
        )
        switch values.random.below(4) {
        case 0: self = Self.ofTexts(values.random.below(18), a, b, note)
        case 1: self = Self.ofDates(values.random.below(11), date, other, due)
        case 2: self = Self.ofNumbers(values.random.below(17), number, score, rank, level)
        default:
            self = Self.ofSeveral(
                values.random.below(13), a, date, number, rank, level, isOpen, kind, tag)
        }
    }

    private static func ofTexts(_ form: Int, _ a: String, _ b: String, _ note: String?) -> Self {
        switch form {
        case 0: Self(#Predicate { $0.text == a }, \.text == a)
        case 1: Self(#Predicate { $0.text < a }, \.text < a)
        case 2: Self(#Predicate { $0.text <= a }, \.text <= a)
        case 3: Self(#Predicate { $0.text > a }, \.text > a)
        case 4: Self(#Predicate { $0.text >= a }, \.text >= a)
        case 5: Self(#Predicate { a < $0.text && $0.text < b }, \.text > a && \.text < b)
        case 6: Self(#Predicate { $0.text >= a && $0.text <= b }, \.text >= a && \.text <= b)
        case 7: Self(#Predicate { $0.note == note }, \.note == note)
        case 8: Self(#Predicate { ($0.note ?? "") <= a })
        case 9: Self(nil, \.note < a)
        case 10: Self(#Predicate { $0.text == a || $0.text == b }, .in(\.text, [a, b]))
        case 11: Self(#Predicate { [a, b].contains($0.text) }, \.text == a || \.text == b)
        case 12: Self(nil, .in(\.note, [note, a]))
        case 13: Self(nil, .hasPrefix(\.text, a))
        case 14: Self(nil, .hasPrefix(\.note, a) || .hasPrefix(\.text, b))
        case 15: Self(nil, !(.hasPrefix(\.text, a) || \.note != nil))
        case 16: Self(nil, !(\.text != a && \.note == nil))
        default: Self(nil, \.note >= a && \.note <= b)
        }
    }

    private static func ofDates(_ form: Int, _ a: Date, _ b: Date, _ due: Date?) -> Self {
        switch form {
        case 0: Self(#Predicate { $0.date == a }, \.date == a)
        case 1: Self(#Predicate { $0.date < a }, \.date < a)
        case 2: Self(#Predicate { $0.date <= a }, \.date <= a)
        case 3: Self(#Predicate { $0.date > a }, \.date > a)
        case 4: Self(#Predicate { $0.date >= a }, \.date >= a)
        case 5: Self(#Predicate { a <= $0.date && $0.date <= b }, \.date >= a && \.date <= b)
        case 6: Self(#Predicate { $0.due == due }, \.due == due)
        case 7: Self(nil, \.due <= a)
        case 8: Self(nil, \.due > a)
        case 9: Self(nil, \.due >= a)
        default: Self(nil, \.due < a && \.date >= b)
        }
    }

    private static func ofNumbers(
        _ form: Int, _ number: Double, _ score: Float, _ rank: Int, _ level: UInt8
    ) -> Self {
        switch form {
        case 0: Self(#Predicate { $0.weight == number }, \.weight == number)
        case 1: Self(#Predicate { $0.weight < number }, \.weight < number)
        case 2: Self(#Predicate { $0.weight <= number }, \.weight <= number)
        case 3: Self(#Predicate { $0.weight > number }, \.weight > number)
        case 4: Self(#Predicate { number <= $0.weight }, \.weight >= number)
        case 5: Self(#Predicate { $0.weight != number }, \.weight != number)
        case 6: Self(#Predicate { $0.score == score }, \.score == score)
        case 7: Self(nil, \.score <= score)
        case 8: Self(nil, \.score > score)
        case 9: Self(#Predicate { $0.rank < rank }, \.rank < rank)
        case 10: Self(#Predicate { $0.rank >= rank }, \.rank >= rank)
        case 11: Self(#Predicate { $0.weight < number || $0.rank == rank })
        case 12: Self(#Predicate { [number, 1].contains($0.weight) }, .in(\.weight, [number, 1]))
        case 13: Self(#Predicate { $0.id == rank || $0.rank > 1 }, \.id == rank || \.rank > 1)
        case 14: Self(nil, .in(\.id, [rank, 3, 7]) && !(\.weight < number))
        case 15: Self(nil, !(\.level == nil) && .in(\.rank, [rank, 0]))
        default: Self(#Predicate { $0.level == level }, \.level == level)
        }
    }

    private static func ofSeveral(
        _ form: Int, _ text: String, _ date: Date, _ number: Double, _ rank: Int, _ level: UInt8,
        _ isOpen: Bool, _ kind: T.Kind, _ tag: UUID
    ) -> Self {
        switch form {
        case 0:
            Self(
                #Predicate { $0.level == level && $0.text <= text },
                \.level == level && \.text <= text)
        case 1:
            Self(
                #Predicate { $0.isOpen == isOpen && $0.date >= date },
                \.isOpen == isOpen && \.date >= date)
        case 2:
            Self(
                #Predicate { $0.text >= text || $0.weight < number },
                \.text >= text || \.weight < number)
        case 3: Self(#Predicate { !($0.text < text) && $0.rank == rank })
        case 4: Self(nil, \.kind == kind && \.weight <= number)
        case 5: Self(nil, \.kind != kind && \.date <= date)
        case 6: Self(#Predicate { $0.tag == tag }, \.tag == tag)
        case 7: Self(nil, \.tag < tag)
        case 8: Self(#Predicate { $0.isOpen && $0.date > date }, \.isOpen && \.date > date)
        case 9: Self(#Predicate { !$0.isOpen || $0.tag == tag }, !\.isOpen || \.tag == tag)
        case 10:
            Self(
                nil,
                (.in(\.kind, [kind, .small]) || \.date == date)
                    && (\.isOpen || .test { $0.rank == rank }))
        case 11: Self(#Predicate { !($0.isOpen == isOpen) }, !(\.isOpen == isOpen))
        default:
            Self(
                #Predicate { $0.rank == rank && $0.date <= date && $0.text > text },
                \.rank == rank && \.date <= date && \.text > text)
        }
    }
}
