/// Event ⇄ bytes: a canonical CBOR map that any CBOR reader understands.
///
///     { "sequence": 1, "time": microseconds since 1970, "changes": [change, …],
///       "actor": text, "reason": text, "correlation": text, "causation": text,
///       "occurredAt": microseconds since 1970,
///       "key": text, "tags": {text: text}, "intent": {"name": text, "value": any, …},
///       "schema": {entity: {"version": number, …}} }                          absent if empty
///
///     change:  { "entity": text, "id": any, "after": fields }                     inserted
///              { "entity": text, "id": any, "before": fields, "after": fields }   updated
///              { "entity": text, "id": any, "before": fields }                    deleted
///              { "entity": text, "cleared": count }                               cleared
///
/// A change of a record whose shape is not the first has "version", "+evolved" if steps changed
/// fields of it, and "formerVersion" if an update found it in another shape.
///
/// The intent of a command that was performed has "result": any, what it returned; "ids", the bytes
/// of the ids that it got, if any; each intent "version", if that is not 1.
///
/// Keys are in canonical order: shorter first, then by their bytes.
enum EventCoding {
    enum Key {
        static let key: StaticString = "key"
        static let tags: StaticString = "tags"
        static let time: StaticString = "time"
        static let actor: StaticString = "actor"
        static let intent: StaticString = "intent"
        static let schema: StaticString = "schema"
        static let reason: StaticString = "reason"
        static let changes: StaticString = "changes"
        static let sequence: StaticString = "sequence"
        static let causation: StaticString = "causation"
        static let occurredAt: StaticString = "occurredAt"
        static let correlation: StaticString = "correlation"

        static let id: StaticString = "id"
        static let after: StaticString = "after"
        static let before: StaticString = "before"
        static let entity: StaticString = "entity"
        static let cleared: StaticString = "cleared"
        static let version: StaticString = "version"
        static let evolved: StaticString = "+evolved"
        static let formerVersion: StaticString = "formerVersion"

        static let ids: StaticString = "ids"
        static let name: StaticString = "name"
        static let value: StaticString = "value"
        static let result: StaticString = "result"
    }

    /// The arrays and maps around the fields of a change. A record may use the whole nesting depth,
    /// so an event nests this much deeper.
    static let levelsAround = 3

    /// The length of the first event in `bytes`; nil if it is not complete.
    @Sendable
    static func byteCount(of bytes: UnsafeRawBufferPointer) -> Int? {
        var reader = CBORReader(bytes)
        do throws(CBORError) {
            return try reader.skipValue(depth: -levelsAround).upperBound
        } catch {
            return nil
        }
    }
}
