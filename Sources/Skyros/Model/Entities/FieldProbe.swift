import Foundation

/// Finds the stored name of a property by decoding the type from samples.
///
/// A key path says nothing about the name under which a property is stored: coding keys may give
/// it another. So the type is decoded from made-up values, once with the same values everywhere
/// and once for each candidate field with another value there: the field that changes what the
/// key path reads is the one.
struct FieldProbe<E: Entity> {
    private let recording = ProbeRecording()
    private let baseline: E?

    init(_ type: E.Type) {
        baseline = try? E(from: ProbeDecoder(recording, varying: nil))
    }

    /// The stored name of the property that `part` reads; nil if samples cannot tell.
    func name(of part: IndexPart<E>) -> String? {
        guard let baseline, let before = try? part.encodedValue(baseline) else { return nil }
        let wanted = ObjectIdentifier(unwrapped(part.valueType))
        let candidates = recording.fields.filter { ObjectIdentifier($0.type) == wanted }
        if candidates.count == 1 { return candidates[0].name }
        let changed = candidates.filter { candidate in
            let decoder = ProbeDecoder(ProbeRecording(), varying: candidate.name)
            guard let sample = try? E(from: decoder), let after = try? part.encodedValue(sample)
            else { return false }
            return before != after
        }
        return changed.count == 1 ? changed[0].name : nil
    }

    /// Optional properties are decoded as what they wrap.
    private func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any OptionalType.Type)?.wrapped ?? type
    }
}

/// The fields that a type asked for while it was decoded, in order.
final class ProbeRecording {
    private(set) var fields: [(name: String, type: Any.Type)] = []

    func note(_ name: String, _ type: Any.Type) {
        if !fields.contains(where: { $0.name == name }) { fields.append((name, type)) }
    }
}
