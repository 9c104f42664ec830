import Foundation
import SkyrosLog

/// Finds the stored name of a property by decoding the type from samples.
///
/// A key path does not contain the stored name, because coding keys may change it. So the type is
/// decoded from sample values: once with equal values, and once for each candidate field with
/// another value there. The field is the one whose change the key path reads, and which has the
/// property's value in the encoded sample.
///
/// Samples also show which values today's type writes into the field.
struct StoredNameResolver<E: Entity> {
    private let recording = FieldRecorder()
    private let baseline: E?

    init(_ type: E.Type) {
        baseline = try? E(from: SampleDecoder(recording))
    }

    /// The stored name of the property that `part` reads; nil if samples do not show it.
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

    /// The values that today's type writes into the field `name`, which `part` reads.
    func expectation(of name: String, _ part: IndexPart<E>) -> ExpectedValue {
        // No request uses such keys.
        if KeyOrder.of(part.valueType) == .none { return .any }
        return ExpectedValue(ranks: ranks(of: part), mayBeNull: readsAbsenceAsNil(name, part))
    }

    /// The ranks of the type's values, or all but null if the type has another encoding.
    private func ranks(of part: IndexPart<E>) -> ClosedRange<UInt8> {
        guard let ranks = IndexKey.ranks(of: Self.unwrapped(part.valueType)) else {
            return ExpectedValue.notNull
        }
        guard let baseline, let rank = part.rank(in: baseline) else { return ranks }
        return ranks.contains(rank) ? ranks : ExpectedValue.notNull
    }

    /// Whether the field is nil when a record without it is read.
    private func readsAbsenceAsNil(_ name: String, _ part: IndexPart<E>) -> Bool {
        guard part.valueType is any OptionalType.Type else { return false }
        let decoder = SampleDecoder(FieldRecorder(), without: name)
        // If samples show nothing, the default behaviour of optionals is assumed.
        guard let sample = try? E(from: decoder), let rank = part.rank(in: sample) else {
            return true
        }
        return rank == IndexKey.Rank.null
    }

    /// Whether the property may be stored. A computed property of a struct has no offset; for the
    /// properties of a class this is unknown.
    private static func isStored(_ path: PartialKeyPath<E>) -> Bool {
        E.self is AnyClass || MemoryLayout<E>.offset(of: path) != nil
    }

    /// The encoded value of the property, if the record has the same value under `name`.
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

    /// Optional properties are decoded as their wrapped type.
    private static func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any OptionalType.Type)?.wrapped ?? type
    }
}

/// The fields that a type requested while it was decoded, in order.
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
