import BenchmarkModel
import Foundation

/// The plainest encoding there is: fields in their order, lengths before strings, no names.
final class FloorEncoder {
    enum Kind: UInt8 {
        case insertion = 1
        case status = 2
    }

    /// In the order of their codes.
    static let statuses = Order.Status.allCases

    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    private var count = 0
    /// No change has more: strings have at most 255 bytes.
    private static let changeBytesMax = 1_024

    deinit {
        buffer.deallocate()
    }

    /// What was added since the last `clear`.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

    func clear() {
        count = 0
    }

    func addInsertion(_ order: Order) {
        reserve()
        add(Kind.insertion.rawValue)
        add(order.id.uuid)
        add(order.customer)
        add(order.restaurant)
        add(order.status.floorCode)
        add(order.totalCents.littleEndian)
        add(order.createdAt.bitPattern.littleEndian)
        add(order.items.littleEndian)
        add(UInt8(order.note == nil ? 0 : 1))
        if let note = order.note { add(note) }
        add(UInt8(order.rating == nil ? 0 : 1))
        if let rating = order.rating { add(rating.bitPattern.littleEndian) }
    }

    func addStatus(_ status: Order.Status, of id: UUID) {
        reserve()
        add(Kind.status.rawValue)
        add(id.uuid)
        add(status.floorCode)
    }

    private func reserve() {
        guard buffer.count - count < Self.changeBytesMax else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 2 * buffer.count, alignment: 16)
        larger.copyMemory(from: bytes)
        buffer.deallocate()
        buffer = larger
    }

    private func add(_ text: String) {
        var text = text
        text.withUTF8 { text in
            add(UInt8(text.count))
            let place = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            place.copyMemory(from: UnsafeRawBufferPointer(text))
            count += text.count
        }
    }

    private func add<T: BitwiseCopyable>(_ value: T) {
        buffer.storeBytes(of: value, toByteOffset: count, as: T.self)
        count += MemoryLayout<T>.size
    }
}

extension Order.Status {
    var floorCode: UInt8 {
        switch self {
        case .placed: 0
        case .accepted: 1
        case .cooking: 2
        case .delivering: 3
        case .done: 4
        }
    }
}
