import Foundation
import SkyrosLog

/// Named values without their Swift types, as the bytes of a canonical map.
///
/// Records, and the changed parts of records, are such maps. Values are found and merged in their
/// encoded form, and decoded only on request.
public struct Fields: Hashable, Sendable {
    /// The canonical map.
    package private(set) var bytes: [UInt8]

    /// No fields.
    public init() {
        bytes = [CBORFormat.Byte.emptyMap]
    }

    /// No fields, without an allocation.
    static let none = Fields()

    /// Fields with the bytes of a canonical map that this process has made.
    package init(trusted bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Fields that are canonical CBOR already; throws if they are not a map in order. O(n).
    ///
    /// - Parameter levelsAround: as for `merge`.
    package init(canonical bytes: [UInt8], levelsAround: Int = 0) throws(CBORError) {
        self.bytes = bytes
        try Self.check(bytes, levelsAround)
    }

    /// Fields of these values. O(n log n); throws for values nested deeper than 127 levels.
    public init(_ values: NamedValues<FieldValue>) throws {
        var writer = CBORWriter()
        try FieldValue.append(values, to: &writer, depth: 1)
        bytes = writer.array
    }

    private static func check(_ bytes: [UInt8], _ levelsAround: Int) throws(CBORError) {
        try bytes.withBytes { buffer throws(CBORError) in
            var cursor = try RecordCursor(buffer, levelsAround: levelsAround)
            while cursor.current != nil { try cursor.advance() }
        }
    }

    // MARK: Single fields

    /// The names in canonical order: shorter first, then by their bytes. O(n).
    public var names: [String] {
        let names = try? bytes.withBytes { buffer throws(CBORError) in
            var names: [String] = []
            var fields = try MapEntries(buffer)
            while let field = try fields.next() {
                names.append(String(decoding: buffer[field.key], as: UTF8.self))
            }
            return names
        }
        return names ?? []
    }

    /// The value of a field, or nil if there is no such field. O(n).
    package func value(of name: String) throws(CBORError) -> FieldValue? {
        try bytes.withBytes { buffer throws(CBORError) in
            guard let range = try CBORReader.valueRange(of: name, inMap: buffer) else {
                return nil
            }
            return try FieldValue(cbor: UnsafeRawBufferPointer(rebasing: buffer[range]))
        }
    }

    /// Sets a field, or removes it if `value` is nil. O(n); throws if `value` nests too deeply.
    package mutating func set(_ name: String, to value: FieldValue?) throws {
        let before = try Fields([name: .null]).bytes
        let after = try Fields(value.map { [name: $0] } ?? [:]).bytes
        bytes = try Self.merge(bytes, before: before, after: after)
    }

    /// All fields as values. O(n).
    package func readValues() throws(CBORError) -> NamedValues<FieldValue> {
        guard let values = try FieldValue(cbor: bytes).map else {
            throw CBORError(.unexpectedType(.map), at: 0)
        }
        return values
    }

    // MARK: Differences

    /// What changed from one canonical map to another: the fields as they were and as they are.
    ///
    /// A field that one side does not have is left out on that side. Nil if nothing changed.
    /// O(n); throws if one of them is not a canonical map.
    package static func difference(
        from old: [UInt8], to new: [UInt8]
    ) throws(CBORError) -> (before: [UInt8], after: [UInt8])? {
        if old == new { return nil }
        var before = FieldCollector()
        var after = FieldCollector()
        try old.withBytes { oldBytes throws(CBORError) in
            try new.withBytes { newBytes throws(CBORError) in
                var old = try RecordCursor(oldBytes)
                var new = try RecordCursor(newBytes)
                while old.current != nil || new.current != nil {
                    if try old.skipCommon(&new) { continue }
                    let order = old.compareKey(to: new)
                    if order <= 0 { before.append(old.field) }
                    if order >= 0 { after.append(new.field) }
                    if order <= 0 { try old.advance() }
                    if order >= 0 { try new.advance() }
                }
            }
        }
        return (before.map, after.map)
    }

    /// Applies a difference: the fields of `after` are set, and those of `before` that `after`
    /// does not have are removed.
    ///
    /// O(n); throws if one of the three is not a canonical map.
    ///
    /// - Parameter levelsAround: the levels around the maps that the nesting limit counts; negative
    ///   for the maps of an event, which has records in it.
    package static func merge(
        _ old: [UInt8], before: [UInt8], after: [UInt8], levelsAround: Int = 0
    ) throws(CBORError) -> [UInt8] {
        try merged(old, before, after, levelsAround: levelsAround).map
    }

    /// Applies a difference from exactly these fields; nil if `before` contradicts them: a field
    /// that changes had another value, one that is removed was absent, or one that is added was
    /// there.
    ///
    /// O(n); throws if one of the three is not a canonical map.
    package static func applying(
        before: [UInt8], after: [UInt8], to old: [UInt8]
    ) throws(CBORError) -> [UInt8]? {
        let (map, fits) = try merged(old, before, after)
        return fits ? map : nil
    }

    private static func merged(
        _ old: [UInt8], _ before: [UInt8], _ after: [UInt8], levelsAround: Int = 0
    ) throws(CBORError) -> (map: [UInt8], fits: Bool) {
        var merged = FieldCollector()
        var fits = true
        try old.withBytes { oldBytes throws(CBORError) in
            try before.withBytes { beforeBytes throws(CBORError) in
                try after.withBytes { afterBytes throws(CBORError) in
                    fits = try merge(
                        RecordCursor(oldBytes, levelsAround: levelsAround),
                        RecordCursor(beforeBytes, levelsAround: levelsAround),
                        RecordCursor(afterBytes, levelsAround: levelsAround), into: &merged)
                }
            }
        }
        return (merged.map, fits)
    }

    /// - Returns: whether `before` says what is in `old`.
    private static func merge(
        _ old: RecordCursor, _ before: RecordCursor, _ after: RecordCursor,
        into merged: inout FieldCollector
    ) throws(CBORError) -> Bool {
        var (old, before, after, fits) = (old, before, after, true)
        while old.current != nil || after.current != nil {
            let order = old.compareKey(to: after)
            let next = order > 0 ? after : old
            while before.current != nil, before.compareKey(to: next) < 0 {
                fits = false
                try before.advance()
            }
            let wasThere = before.current != nil && before.compareKey(to: next) == 0
            if order >= 0 {
                merged.append(after.field)
            } else if !wasThere {
                merged.append(old.field)
            }
            if order == 0 || wasThere {
                fits = fits && order <= 0 && wasThere && before.field.compare(old.field) == 0
            }
            if wasThere { try before.advance() }
            if order >= 0 { try after.advance() }
            if order <= 0 { try old.advance() }
        }
        while before.current != nil {
            fits = false
            try before.advance()
        }
        return fits
    }
}
