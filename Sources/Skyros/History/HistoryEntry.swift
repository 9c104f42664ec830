import SkyrosLog

/// A change of one record by one event: actor, time, reason, and the fields before and after.
public struct HistoryEntry: Hashable, Sendable {
    /// The kind of change.
    public enum Kind: String, Hashable, Sendable {
        /// The record was inserted.
        case inserted
        /// Some of its fields changed.
        case updated
        /// The record was deleted.
        case deleted
        /// The record was deleted together with all other records of its entity.
        case cleared
        /// The record was there when the history before was pruned: what it was then. The entry's
        /// event is the last one that had changed it; who made that change is not known any more.
        case kept
    }

    /// The kind of change.
    public let kind: Kind
    /// The sequence number of the event.
    public let sequence: SequenceNumber
    /// The time of the event.
    public let time: EventTime
    /// The metadata of the event, such as its actor and reason.
    public let metadata: Metadata
    /// The domain command of the write, if one was given.
    public let intent: Intent?
    /// The record before the change; nil if there was none.
    let rowBefore: HistoryRow?
    /// The record after the change; nil if there is none.
    let rowAfter: HistoryRow?

    /// The actor of the event.
    public var actor: String? { metadata.actor }

    /// The reason of the event.
    public var reason: String? { metadata.reason }

    /// When the change happened: the `occurredAt` of its event, and without that when it was
    /// recorded.
    public var happenedAt: EventTime { metadata.occurredAt ?? time }
}

extension HistoryEntry {
    /// The changed fields, in canonical order: all fields of a record that was inserted or removed.
    ///
    /// - Complexity: O(fields); they are read each time.
    /// - Throws: `StoreError` with `.notDecodable` if a record is not what the library writes.
    public var changes: [FieldChange] {
        get throws { try HistoryRow.changes(from: rowBefore, to: rowAfter) }
    }

    /// The record before the change, in the shape of the history; nil if there was none.
    public var recordBefore: Record? { rowBefore?.record }

    /// The record after the change, in the shape of the history; nil if there is none.
    public var recordAfter: Record? { rowAfter?.record }

    /// The record before the change, in today's shape; nil if there was none.
    ///
    ///     let old = try entry.before(as: Order.self)
    ///
    /// - Throws: `StoreError` with `.notDecodable`, `.evolutionFailed`.
    public func before<E: Entity>(as type: E.Type) throws -> E? {
        try rowBefore?.value(as: type)
    }

    /// The record after the change, in today's shape; nil if there is none.
    ///
    /// - Throws: `StoreError` with `.notDecodable`, `.evolutionFailed`.
    public func after<E: Entity>(as type: E.Type) throws -> E? {
        try rowAfter?.value(as: type)
    }
}

/// A record at a moment of its history.
struct HistoryRow: Hashable, Sendable {
    let entity: String
    let id: RecordID
    let bytes: [UInt8]
    /// The version of the record's shape.
    let version: Int
    /// That of the shape in which it was stored.
    let storedVersion: Int

    init(
        entity: String, id: RecordID, bytes: [UInt8], version: Int, storedVersion: Int? = nil
    ) {
        self.entity = entity
        self.id = id
        self.bytes = bytes
        self.version = version
        self.storedVersion = storedVersion ?? version
    }

    var record: Record { Record(entity: entity, id: id, fields: Fields(trusted: bytes)) }

    /// The fields that differ between two versions of a record, in canonical order.
    ///
    /// - Throws: `StoreError` with `.notDecodable`.
    static func changes(from old: HistoryRow?, to new: HistoryRow?) throws -> [FieldChange] {
        guard let row = new ?? old else { return [] }
        let none = Fields.none.bytes
        return try StoreError.wrapping(
            .notDecodable, "\(row.entity) \(row.id) cannot be read",
            at: StoreError.Place(entity: row.entity, ids: [row.id])
        ) {
            try FieldChange.differences(from: old?.bytes ?? none, to: new?.bytes ?? none)
        }
    }

    func value<E: Entity>(as type: E.Type) throws -> E {
        guard entity.isSameName(as: E.entityName) else {
            throw StoreError(
                .invalidInput, "the record is of \(entity), and not of \(E.entityName)",
                at: StoreError.Place(entity: entity, ids: [id]))
        }
        let evolver = E.evolution.evolver
        let newest = try evolver.map { try evolved(by: $0) } ?? self
        // It has the id that it had then.
        let mayDiffer = evolver?.mayChangeID(after: storedVersion) ?? false
        return try RecordCoding.decode(
            type, from: newest.bytes, id: id, allowingOtherID: mayDiffer)
    }
}

/// The change of one field by an event.
public struct FieldChange: Hashable, Sendable, CustomStringConvertible {
    /// The field's name.
    public let field: String
    /// The value before; nil if the record did not have the field.
    public let before: FieldValue?
    /// The value after; nil if the record does not have the field any more.
    public let after: FieldValue?

    /// `name: "Nonna" → "Da Nonna"`; dates with at most six digits of the second.
    public var description: String {
        let texts = [before, after].map { $0?.readableText() ?? "–" }
        return "\(field): \(texts[0]) → \(texts[1])"
    }
}

extension FieldChange {
    /// The changes between two sets of fields, in canonical order.
    public static func list(before: Fields, after: Fields) throws -> [FieldChange] {
        try list(before.bytes, after.bytes, withEqual: true)
    }

    /// The fields that differ between two records, in canonical order.
    static func differences(from old: [UInt8], to new: [UInt8]) throws -> [FieldChange] {
        try list(old, new, withEqual: false)
    }

    private static func list(
        _ old: [UInt8], _ new: [UInt8], withEqual: Bool
    ) throws(CBORError) -> [FieldChange] {
        do throws(CBORError) {
            return try sortedList(old, new, withEqual: withEqual)
        } catch {
            guard error.problem == .unsortedKeys else { throw error }
        }
        // Another writer has left the keys in another order, which readers accept.
        let (before, after) = (try values(of: old), try values(of: new))
        return before.merging(after) { old, _ in old }.keys
            .map { FieldChange(field: $0, before: before[$0], after: after[$0]) }
            .filter { withEqual || $0.before != $0.after }
    }

    private static func values(
        of bytes: [UInt8]
    ) throws(CBORError) -> NamedValues<FieldValue> { try Fields(trusted: bytes).readValues() }

    /// Reads the fields of both side by side.
    private static func sortedList(
        _ old: [UInt8], _ new: [UInt8], withEqual: Bool
    ) throws(CBORError) -> [FieldChange] {
        try old.withBytes { oldBytes throws(CBORError) in
            try new.withBytes { newBytes throws(CBORError) in
                var (old, new) = (try RecordCursor(oldBytes), try RecordCursor(newBytes))
                var list: [FieldChange] = []
                if withEqual { list.reserveCapacity(max(old.fieldCount, new.fieldCount)) }
                while old.current != nil || new.current != nil {
                    if !withEqual, try old.skipCommon(&new) { continue }
                    let order = old.compareKey(to: new)
                    let before = order <= 0 ? try old.readField() : nil
                    let after = order >= 0 ? try new.readField() : nil
                    list.append(
                        FieldChange(
                            field: before?.name ?? after?.name ?? "", before: before?.value,
                            after: after?.value))
                    if order <= 0 { try old.advance() }
                    if order >= 0 { try new.advance() }
                }
                return list
            }
        }
    }
}
