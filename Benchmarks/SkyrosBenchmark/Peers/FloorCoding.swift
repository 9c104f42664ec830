import BenchmarkModel
import Foundation

/// The plainest encoding there is: fields in their order, lengths before strings, no names.
struct FloorEncoder {
    enum Kind: UInt8 {
        case insertion = 1
        case status = 2
    }

    private(set) var bytes: [UInt8] = []

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func addInsertion(_ order: Order) {
        bytes.append(Kind.insertion.rawValue)
        add(order.id)
        add(order.customer)
        add(order.restaurant)
        bytes.append(order.status.floorCode)
        add(order.totalCents)
        add(order.createdAt.bitPattern)
        add(order.items)
        bytes.append(order.note == nil ? 0 : 1)
        if let note = order.note { add(note) }
        bytes.append(order.rating == nil ? 0 : 1)
        if let rating = order.rating { add(rating.bitPattern) }
    }

    mutating func addStatus(_ status: Order.Status, of id: UUID) {
        bytes.append(Kind.status.rawValue)
        add(id)
        bytes.append(status.floorCode)
    }

    private mutating func add(_ id: UUID) {
        withUnsafeBytes(of: id.uuid) { bytes.append(contentsOf: $0) }
    }

    private mutating func add(_ text: String) {
        bytes.append(UInt8(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
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
