import Foundation
import SkyrosLog

/// Finds the stored name of a property by decoding the type from samples.
///
/// A key path says nothing about the name under which a property is stored: coding keys may give
/// it another. So the type is decoded from made-up values, once with the same values everywhere
/// and once for each candidate field with another value there. The field is the one whose change
/// the key path sees, and whose value it is in what the samples encode themselves as.
struct FieldProbe<E: Entity> {
    private let recording = ProbeRecording()
    private let baseline: E?

    init(_ type: E.Type) {
        baseline = try? E(from: ProbeDecoder(recording, varying: nil))
    }

    /// The stored name of the property that `part` reads; nil if samples cannot tell.
    func name(of part: IndexPart<E>) -> String? {
        guard Self.isStored(part.path), let baseline else { return nil }
        let wanted = ObjectIdentifier(Self.unwrapped(part.valueType))
        let names = recording.fields
            .filter { ObjectIdentifier(Self.unwrapped($0.type)) == wanted }.map(\.name)
            .filter { name in
                let decoder = ProbeDecoder(ProbeRecording(), varying: name)
                guard let before = Self.value(of: part, storedAs: name, in: baseline),
                    let varied = try? E(from: decoder),
                    let after = Self.value(of: part, storedAs: name, in: varied)
                else { return false }
                return before != after
            }
        return names.count == 1 ? names[0] : nil
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
            let record = try? RecordCoding.encode(sample),
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
final class ProbeRecording {
    private(set) var fields: [(name: String, type: Any.Type)] = []

    func note(_ name: String, _ type: Any.Type) {
        if !fields.contains(where: { $0.name == name }) { fields.append((name, type)) }
    }
}
