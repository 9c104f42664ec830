/// Event ⇄ bytes: a canonical CBOR map that any CBOR reader understands.
///
///     { "sequence": 1, "time": microseconds since 1970, "changes": [change, …],
///       "actor": text, "reason": text, "correlation": text, "causation": text,
///       "tags": {text: text}, "intent": {"name": text, "value": any} }        absent if empty
///
///     change:  { "entity": text, "id": any, "after": fields }                     inserted
///              { "entity": text, "id": any, "before": fields, "after": fields }   updated
///              { "entity": text, "id": any, "before": fields }                    deleted
///              { "entity": text, "cleared": count }                               cleared
///
/// Keys stand in canonical order: shorter first, then by their bytes.
enum EventCoding {
    enum Key {
        static let tags = "tags"
        static let time = "time"
        static let actor = "actor"
        static let intent = "intent"
        static let reason = "reason"
        static let changes = "changes"
        static let sequence = "sequence"
        static let causation = "causation"
        static let correlation = "correlation"

        static let id = "id"
        static let after = "after"
        static let before = "before"
        static let entity = "entity"
        static let cleared = "cleared"

        static let name = "name"
        static let value = "value"
    }

    /// The length of the first event in `bytes`; nil if there is no whole one.
    @Sendable
    static func byteCount(of bytes: UnsafeRawBufferPointer) -> Int? {
        var reader = CBORReader(bytes)
        do throws(CBORError) {
            return try reader.skipValue().upperBound
        } catch {
            return nil
        }
    }
}
