import Foundation

/// How values of a type are stored, if not as their `Codable` conformance says.
enum CodingKind: UInt8 {
    case unknown
    /// By the type's own `encode(to:)` and `init(from:)`.
    case plain
    case bool, string, double, float
    case int, int8, int16, int32, int64, int128
    case uint, uint8, uint16, uint32, uint64, uint128
    case uuid, date, data, url, decimal
    /// A `Set`, or a `Dictionary` that the standard library encodes as an array: collections
    /// without an order, which are sorted.
    case unordered

    /// Finds the kind of `type`. Slow: see `CodingKinds`.
    init<T>(of type: T.Type) {
        self = Self.scalars[ObjectIdentifier(type)] ?? Self.collection(type)
    }

    /// Whether values of a type are stored as one of the scalars.
    static func isScalar(_ type: ObjectIdentifier) -> Bool { scalars[type] != nil }

    private static func collection(_ type: Any.Type) -> CodingKind {
        guard let type = type as? any UnorderedCollection.Type else { return .plain }
        return type.needsOrder ? .unordered : .plain
    }

    private static let scalars: [ObjectIdentifier: CodingKind] = [
        ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(String.self): .string,
        ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(Int.self): .int, ObjectIdentifier(Int8.self): .int8,
        ObjectIdentifier(Int16.self): .int16, ObjectIdentifier(Int32.self): .int32,
        ObjectIdentifier(Int64.self): .int64, ObjectIdentifier(Int128.self): .int128,
        ObjectIdentifier(UInt.self): .uint, ObjectIdentifier(UInt8.self): .uint8,
        ObjectIdentifier(UInt16.self): .uint16, ObjectIdentifier(UInt32.self): .uint32,
        ObjectIdentifier(UInt64.self): .uint64, ObjectIdentifier(UInt128.self): .uint128,
        ObjectIdentifier(UUID.self): .uuid, ObjectIdentifier(Date.self): .date,
        ObjectIdentifier(Data.self): .data, ObjectIdentifier(URL.self): .url,
        ObjectIdentifier(Decimal.self): .decimal,
    ]
}

/// A cache of the kinds of recent types, for one thread at a time.
///
/// A direct-mapped table: a lookup is a multiplication and a comparison, about 1 ns, where a
/// dynamic cast to a protocol takes 50.
struct CodingKinds: ~Copyable {
    private struct Slot {
        var type: UInt
        var kind: CodingKind
    }

    private static let slotBits = 6
    private let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: 1 << Self.slotBits)
        slots.initialize(repeating: Slot(type: 0, kind: .unknown), count: 1 << Self.slotBits)
    }

    deinit {
        slots.deallocate()
    }

    @inline(__always)
    func kind<T>(of type: T.Type) -> CodingKind {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        let mixed = UInt64(address) &* 0x9E37_79B9_7F4A_7C15
        let slot = slots + Int(mixed >> (64 - UInt64(Self.slotBits)))
        if slot.pointee.type == address { return slot.pointee.kind }
        return learn(type, slot)
    }

    @inline(never)
    private func learn<T>(_ type: T.Type, _ slot: UnsafeMutablePointer<Slot>) -> CodingKind {
        let kind = CodingKind(of: type)
        slot.pointee = Slot(type: UInt(bitPattern: ObjectIdentifier(type)), kind: kind)
        return kind
    }
}
