import Foundation

/// The values that a type writes into a field, by their ranks in index keys.
///
/// Another value was written by an older type, or is absent and added by `init(from:)`. Then the
/// index key may differ from the key of the value that is read.
struct ExpectedValue: Hashable, Sendable {
    let ranks: ClosedRange<UInt8>
    let mayBeNull: Bool

    /// All values.
    static let any = ExpectedValue(ranks: notNull, mayBeNull: true)

    /// The ranks of all values but null.
    static let notNull: ClosedRange<UInt8> = IndexKey.Rank.false...UInt8.max

    /// The values of a property of this type. One of an optional type may be null or absent.
    init(of type: Any.Type) {
        // No query uses the keys of other types.
        guard KeyOrder.of(type) > .none else {
            self = .any
            return
        }
        let optional = type as? any OptionalType.Type
        ranks = IndexKey.ranks(of: optional?.wrapped ?? type) ?? Self.notNull
        mayBeNull = optional != nil
    }

    private init(ranks: ClosedRange<UInt8>, mayBeNull: Bool) {
        (self.ranks, self.mayBeNull) = (ranks, mayBeNull)
    }

    func allows(_ rank: UInt8) -> Bool {
        ranks.contains(rank) || (mayBeNull && rank == IndexKey.Rank.null)
    }
}

extension IndexKey {
    /// The ranks that the values of a type have; nil if they may have any.
    static func ranks(of type: Any.Type) -> ClosedRange<UInt8>? {
        switch type {
        case is String.Type: Rank.text...Rank.text
        case is UUID.Type: Rank.uuid...Rank.uuid
        case is Date.Type: Rank.date...Rank.noDate
        case is Bool.Type: Rank.false...Rank.true
        case is any Numeric.Type where KeyOrder.of(type) == .full: Rank.number...Rank.nan
        case let reference as any ReferenceType.Type: ranks(of: reference.idType)
        case let raw as any RawRepresentable.Type: ranks(ofRaw: raw)
        default: nil
        }
    }

    private static func ranks<T: RawRepresentable>(ofRaw type: T.Type) -> ClosedRange<UInt8>? {
        ranks(of: T.RawValue.self)
    }
}
