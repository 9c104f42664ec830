import BenchmarkModel
import Foundation

/// Reads what `FloorEncoder` has written.
struct FloorDecoder {
    enum Change {
        case insertion(Order)
        case status(Order.Status, UUID)
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next change; nil at the end of what was written.
    mutating func next() throws -> Change? {
        guard position < bytes.count, let kind = FloorEncoder.Kind(rawValue: byte()) else {
            return nil
        }
        switch kind {
        case .insertion: return .insertion(try order())
        case .status:
            let id = uuid()
            return .status(try status(), id)
        }
    }

    private mutating func order() throws -> Order {
        let id = uuid()
        let customer = text()
        let restaurant = text()
        let status = try status()
        let totalCents = Int(bitPattern: UInt(word()))
        let createdAt = Double(bitPattern: word())
        let items = Int(bitPattern: UInt(word()))
        let note = byte() == 1 ? text() : nil
        let rating = byte() == 1 ? Double(bitPattern: word()) : nil
        return Order(
            id: id, customer: customer, restaurant: restaurant, status: status,
            totalCents: totalCents, createdAt: createdAt, items: items, note: note,
            rating: rating)
    }

    private mutating func status() throws -> Order.Status {
        let code = Int(byte())
        guard code < FloorEncoder.statuses.count else { throw BenchmarkError("no status \(code)") }
        return FloorEncoder.statuses[code]
    }

    private mutating func byte() -> UInt8 {
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func word() -> UInt64 {
        defer { position += 8 }
        return UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    private mutating func uuid() -> UUID {
        defer { position += 16 }
        return UUID(uuid: bytes.loadUnaligned(fromByteOffset: position, as: uuid_t.self))
    }

    private mutating func text() -> String {
        let count = Int(byte())
        defer { position += count }
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        return String(decoding: text, as: UTF8.self)
    }
}
