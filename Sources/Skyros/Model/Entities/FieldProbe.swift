import Foundation

/// Finds the stored name of a property by decoding the type from samples.
///
/// A key path says nothing about the name under which a property is stored: coding keys may give
/// it another. So the type is decoded from made-up values, once with the same values everywhere
/// and once for each candidate field with another value there: the field that changes what the
/// key path reads is the one, if it is stored as it is read.
struct FieldProbe<E: Entity> {
    private let recording = ProbeRecording()
    private let baseline: E?
    /// `baseline` as it is stored.
    private let record: [UInt8]?

    init(_ type: E.Type) {
        baseline = try? E(from: ProbeDecoder(recording))
        record = baseline.flatMap { try? RecordCoding.encode($0) }
    }

    /// The stored name of the property that `part` reads; nil if samples cannot tell, or if it
    /// is not a stored property.
    func name(of part: IndexPart<E>) -> String? {
        guard let baseline, let record, isStored(part),
            let before = try? part.encodedValue(baseline)
        else { return nil }
        let candidates = candidates(for: part)
        let trials = candidates.map { trial($0, part) }
        let changed = trials.filter { $0.value.map { $0 != before } ?? false }
        if changed.count == 1 {
            return changed[0].value == changed[0].field ? changed[0].name : nil
        }
        // Of some types there is but one sample. One field of the type must then be the one.
        guard changed.isEmpty, trials.count == 1, !trials[0].isVaried,
            !recording.nestedTypes.contains(ObjectIdentifier(unwrapped(part.valueType))),
            field(trials[0].name, of: record) == before
        else { return nil }
        return trials[0].name
    }

    /// What the type writes into the field of `part`.
    func expectation(of name: String, _ part: IndexPart<E>) -> ExpectedValue {
        ExpectedValue(ranks: ranks(of: part), mayBeNull: readsAbsenceAsNil(name, part))
    }

    /// The ranks of the type's values, unless the type encodes itself otherwise.
    private func ranks(of part: IndexPart<E>) -> ClosedRange<UInt8>? {
        let type = KeyOrder.raw(unwrapped(part.valueType))
        guard let ranks = IndexKey.ranks(of: type) else { return nil }
        if let baseline, let value = try? part.encodedValue(baseline),
            let key = try? value.withBytes({ try IndexKey.append($0, to: ByteString([])) }),
            let rank = key.array.first, !ranks.contains(rank)
        {
            return nil
        }
        return ranks
    }

    /// Whether a record without the field is read as one in which it is nil.
    private func readsAbsenceAsNil(_ name: String, _ part: IndexPart<E>) -> Bool {
        guard part.valueType is any OptionalType.Type else { return false }
        let decoder = ProbeDecoder(ProbeRecording(), without: name)
        // Where samples tell nothing, the type is taken to be what optional types are.
        guard let sample = try? E(from: decoder), let value = try? part.encodedValue(sample)
        else { return true }
        return value == [CBORFormat.Byte.null]
    }

    /// A sample in which one field has another value.
    private struct Trial {
        let name: String
        /// What the key path reads; nil if there is no such sample.
        let value: [UInt8]?
        /// What is stored in the field.
        let field: [UInt8]?
        let isVaried: Bool
    }

    private func trial(_ name: String, _ part: IndexPart<E>) -> Trial {
        let decoder = ProbeDecoder(ProbeRecording(), varying: name)
        guard let sample = try? E(from: decoder), let value = try? part.encodedValue(sample),
            let changed = try? RecordCoding.encode(sample), let record
        else { return Trial(name: name, value: nil, field: nil, isVaried: false) }
        let after = field(name, of: changed)
        return Trial(
            name: name, value: value, field: after, isVaried: after != field(name, of: record))
    }

    /// Whether the key path leads to memory of the value; of an object it is not known.
    private func isStored(_ part: IndexPart<E>) -> Bool {
        E.self is AnyObject.Type || MemoryLayout<E>.offset(of: part.path) != nil
    }

    /// The fields of the part's type.
    private func candidates(for part: IndexPart<E>) -> [String] {
        let wanted = ObjectIdentifier(unwrapped(part.valueType))
        return recording.fields.filter { ObjectIdentifier($0.type) == wanted }.map(\.name)
    }

    private func field(_ name: String, of record: [UInt8]) -> [UInt8]? {
        record.withBytes { bytes in
            guard let range = try? CBORReader.valueRange(of: name, inMap: bytes) else { return nil }
            return [UInt8](bytes[range])
        }
    }

    /// Optional properties are decoded as what they wrap.
    private func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any OptionalType.Type)?.wrapped ?? type
    }
}

/// What a type asked for while it was decoded.
final class ProbeRecording {
    /// The fields of the type itself, in order.
    private(set) var fields: [(name: String, type: Any.Type)] = []
    /// The types of all values within its fields.
    private(set) var nestedTypes: Set<ObjectIdentifier> = []

    func note(_ name: String, _ type: Any.Type) {
        if !fields.contains(where: { $0.name == name }) {
            fields.append((name, type))
        }
    }

    func noteNested(_ type: Any.Type) {
        nestedTypes.insert(ObjectIdentifier(type))
    }
}
