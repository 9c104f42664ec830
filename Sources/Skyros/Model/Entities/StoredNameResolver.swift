import Foundation
import SkyrosLog

/// Finds the stored name of a property by decoding the type from samples.
///
/// A key path says nothing about the name under which a property is stored: coding keys may give
/// it another. So the type is decoded from made-up values, once with the same values everywhere
/// and once for each candidate field with another value there. The field is the one whose change
/// the key path sees, and whose value it is in what the samples encode themselves as.
///
/// Samples also tell what records of today's type hold in the field.
struct StoredNameResolver<E: Entity> {
    private let recording = FieldRecorder()
    private let baseline: E?

    init(_ type: E.Type) {
        baseline = try? E(from: SampleDecoder(recording))
    }

    /// The stored name of the property that `part` reads; nil if samples cannot tell.
    func name(of part: IndexPart<E>) -> String? {
        guard Self.isStored(part.path), let baseline else { return nil }
        let wanted = ObjectIdentifier(Self.unwrapped(part.valueType))
        let names = recording.fields
            .filter { ObjectIdentifier(Self.unwrapped($0.type)) == wanted }.map(\.name)
            .filter { name in
                let decoder = SampleDecoder(FieldRecorder(), varying: name)
                guard let before = Self.value(of: part, storedAs: name, in: baseline),
                    let varied = try? E(from: decoder),
                    let after = Self.value(of: part, storedAs: name, in: varied)
                else { return false }
                return before != after
            }
        return names.count == 1 ? names[0] : nil
    }

    /// What records of today's type hold in the field `name`, which `part` reads.
    func expectation(of name: String, _ part: IndexPart<E>) -> ExpectedValue {
        // No request relies on what such keys say.
        if KeyOrder.of(part.valueType) == .none { return .any }
        return ExpectedValue(ranks: ranks(of: part), mayBeNull: readsAbsenceAsNil(name, part))
    }

    /// The ranks of the type's values, or all but null where the type encodes itself otherwise.
    private func ranks(of part: IndexPart<E>) -> ClosedRange<UInt8> {
        guard let ranks = IndexKey.ranks(of: Self.unwrapped(part.valueType)) else {
            return ExpectedValue.notNull
        }
        guard let baseline, let rank = part.rank(in: baseline) else { return ranks }
        return ranks.contains(rank) ? ranks : ExpectedValue.notNull
    }

    /// Whether a record without the field is read as one in which it is nil.
    private func readsAbsenceAsNil(_ name: String, _ part: IndexPart<E>) -> Bool {
        guard part.valueType is any OptionalType.Type else { return false }
        let decoder = SampleDecoder(FieldRecorder(), without: name)
        // Where samples tell nothing, the type is taken to do as optionals do by themselves.
        guard let sample = try? E(from: decoder), let rank = part.rank(in: sample) else {
            return true
        }
        return rank == IndexKey.Rank.null
    }

    /// Whether the property may be stored. What a struct computes has no place in it; of the
    /// properties of a class nothing is known.
    private static func isStored(_ path: PartialKeyPath<E>) -> Bool {
        E.self is AnyClass || MemoryLayout<E>.offset(of: path) != nil
    }

    /// The encoded value of the property, if it is the one that the record has under `name`.
    private static func value(
        of part: IndexPart<E>, storedAs name: String, in sample: E
    ) -> [UInt8]? {
        guard let value = try? part.encodedValue(sample),
            let record = try? CBOREncoder().encode(sample),
            let isStored = try? record.withBytes({ bytes throws(CBORError) in
                guard let range = try CBORReader.valueRange(of: name, inMap: bytes) else {
                    return false
                }
                return bytes[range].elementsEqual(value)
            }), isStored
        else { return nil }
        return value
    }

    /// Optional properties are decoded as what they wrap.
    private static func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any OptionalType.Type)?.wrapped ?? type
    }
}

/// The fields that a type asked for while it was decoded, in order.
final class FieldRecorder {
    private(set) var fields: [(name: String, type: Any.Type)] = []

    func note(_ name: String, _ type: Any.Type) {
        if !fields.contains(where: { $0.name == name }) { fields.append((name, type)) }
    }
}

extension IndexPart {
    /// The rank that the value has in an index key; nil if it cannot be encoded.
    fileprivate func rank(in value: E) -> UInt8? {
        let key = try? encodedValue(value).withBytes { bytes throws(CBORError) in
            try IndexKey.append(bytes, to: ByteString([]))
        }
        return key?.withUnsafeBytes { $0.first }
    }
}
