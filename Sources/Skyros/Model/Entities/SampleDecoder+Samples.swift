import Foundation

extension SampleDecoder {
    /// A sample value of the type.
    func sample<T: Decodable>(_ type: T.Type, isVaried: Bool) throws -> T {
        // Where `T` is an optional, a cast of nil to it succeeds; so nil is not cast.
        if let simple = Self.simple(type, isVaried), let value = simple as? T { return value }
        if let cases = type as? any CaseIterable.Type {
            if let aCase = Self.aCase(cases, isVaried), let value = aCase as? T { return value }
        }
        do {
            return try T(from: nested(isVaried: isVaried))
        } catch {
            guard let value = Self.bareCase(type, isVaried) else { throw error }
            return value
        }
    }

    private static func simple(_ type: Any.Type, _ isVaried: Bool) -> Any? {
        switch type {
        case is UUID.Type:
            isVaried
                ? UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
                : UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case is Date.Type: Date(timeIntervalSinceReferenceDate: isVaried ? 1 : 0)
        case is Data.Type: Data(isVaried ? [1] : [])
        case is URL.Type: URL(string: isVaried ? "a:b" : "a:a")
        case is Decimal.Type: Decimal(isVaried ? 1 : 0)
        default: nil
        }
    }

    private static func aCase<T: CaseIterable>(_ type: T.Type, _ isVaried: Bool) -> Any? {
        isVaried ? type.allCases.dropFirst().first : type.allCases.first
    }

    /// The first case of an enum, or the second if varied, for a type that decodes no sample: raw
    /// values cannot be guessed.
    ///
    /// Zero bits are the first case of every enum without references. The bits of the number 1 are
    /// the second case of an enum without associated values, if it has two cases: an enum of one
    /// case has no bits. In other types, such bits may be a value that no initialiser makes.
    private static func bareCase<T>(_ type: T.Type, _ isVaried: Bool) -> T? {
        guard _isPOD(type), MemoryLayout<T>.size > 0, !(type is any CustomReflectable.Type) else {
            return nil
        }
        let first = bits(0, as: type)
        let mirror = Mirror(reflecting: first)
        guard mirror.displayStyle == .enum else { return nil }
        guard isVaried else { return first }
        return mirror.children.isEmpty ? bits(1, as: type) : nil
    }

    private static func bits<T>(_ lowest: UInt8, as type: T.Type) -> T {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.size)
        // The lowest byte comes first on every machine that Swift supports.
        memory.storeBytes(of: lowest, as: UInt8.self)
        return memory.assumingMemoryBound(to: type).pointee
    }

    /// The key of an enum's case with its associated values.
    func caseKeys<Key: CodingKey>(_ type: Key.Type) -> [Key] {
        Self.bareCase(type, isVaried).map { [$0] } ?? []
    }
}
