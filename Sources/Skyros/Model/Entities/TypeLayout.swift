/// The types of a struct's stored properties, of an enum's associated values, or of a tuple's
/// elements, as the runtime's metadata lists them.
///
/// The layout of the metadata is fixed by Swift's ABI: `docs/ABI/TypeMetadata.rst` and
/// `include/swift/RemoteInspection/Records.h` in the compiler's repository.
struct TypeLayout {
    /// The types in the order of their declaration.
    let parts: [Any.Type]
    /// The stored properties of a struct, in the order of their declaration.
    private(set) var properties: [(name: String, type: Any.Type)] = []

    private enum Kind {
        static let `struct`: UInt = 0x200
        static let `enum`: UInt = 0x201
        static let tuple: UInt = 0x301
    }

    /// The sizes and offsets of the records, in bytes.
    private enum Offset {
        static let descriptor = MemoryLayout<UInt>.size
        static let genericArguments = 2 * MemoryLayout<UInt>.size
        /// In the metadata of a tuple.
        static let elementCount = MemoryLayout<UInt>.size
        static let elements = 3 * MemoryLayout<UInt>.size
        static let elementSize = 2 * MemoryLayout<UInt>.size
        /// In the descriptor of a type.
        static let fields = 16
        static let counts = 20
        static let emptyCaseCount = 24
        /// In the list of its fields.
        static let recordSize = 10
        static let recordCount = 12
        static let records = 16
        /// In the record of a field.
        static let typeName = 4
        static let fieldName = 8
    }

    /// The layout of `type`; nil for other kinds of types, and for those without reflection
    /// metadata.
    init?(_ type: Any.Type) {
        // A metatype is a pointer to its metadata, by the ABI.
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let kind = metadata.load(as: UInt.self)
        if kind == Kind.tuple {
            parts = Self.elements(ofTuple: metadata)
            return
        }
        guard kind == Kind.struct || kind == Kind.enum,
            let descriptor = metadata.load(
                fromByteOffset: Offset.descriptor, as: UnsafeRawPointer?.self)
        else { return nil }
        let count = Self.partCount(descriptor, isEnum: kind == Kind.enum)
        if count.withParts == 0 {
            parts = []
            return
        }
        guard let fields = Self.target(of: descriptor + Offset.fields),
            Int(fields.load(fromByteOffset: Offset.recordCount, as: UInt32.self)) == count.all
        else { return nil }
        let size = Int(fields.load(fromByteOffset: Offset.recordSize, as: UInt16.self))
        var parts: [Any.Type] = []
        for index in 0..<count.all {
            let record = fields + Offset.records + index * size
            // A case without associated values has no type.
            guard let name = Self.target(of: record + Offset.typeName) else { continue }
            guard
                let part = _getTypeByMangledNameInContext(
                    name.assumingMemoryBound(to: UInt8.self), Self.length(ofName: name),
                    genericContext: descriptor,
                    genericArguments: metadata + Offset.genericArguments)
            else { return nil }
            parts.append(part)
            if kind == Kind.struct, let name = Self.target(of: record + Offset.fieldName) {
                let text = String(cString: name.assumingMemoryBound(to: CChar.self))
                properties.append((text, part))
            }
        }
        guard parts.count == count.withParts else { return nil }
        self.parts = parts
    }

    private static func elements(ofTuple metadata: UnsafeRawPointer) -> [Any.Type] {
        let count = metadata.load(fromByteOffset: Offset.elementCount, as: UInt.self)
        return (0..<Int(count)).map { index in
            let element = Offset.elements + index * Offset.elementSize
            return metadata.load(fromByteOffset: element, as: Any.Type.self)
        }
    }

    /// The number of fields or cases, and of those that have a type.
    private static func partCount(
        _ descriptor: UnsafeRawPointer, isEnum: Bool
    ) -> (all: Int, withParts: Int) {
        let count = descriptor.load(fromByteOffset: Offset.counts, as: UInt32.self)
        guard isEnum else { return (Int(count), Int(count)) }
        // The upper byte has another meaning.
        let full = Int(count & 0xFF_FFFF)
        let empty = descriptor.load(fromByteOffset: Offset.emptyCaseCount, as: UInt32.self)
        return (full + Int(empty), full)
    }

    /// The address that a relative reference means; nil if it is zero.
    private static func target(of reference: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = reference.load(as: Int32.self)
        return distance == 0 ? nil : reference + Int(distance)
    }

    /// The length of a mangled name, which may contain references to other types as binary numbers:
    /// of 4 bytes after a byte of 1 to 17 hexadecimal, of a word after one of 18 to 1F.
    private static func length(ofName name: UnsafeRawPointer) -> UInt {
        var end = name
        while true {
            switch end.load(as: UInt8.self) {
            case 0: return UInt(end - name)
            case 0x01...0x17: end += 1 + MemoryLayout<Int32>.size
            case 0x18...0x1F: end += 1 + MemoryLayout<UInt>.size
            default: end += 1
            }
        }
    }
}
