import Foundation

/// Row numbers by id: an open hash table with linear probing.
///
/// Ids are random, so that their first eight bytes serve as hash. A slot holds the upper half of
/// the hash and the row's number plus 1; 0 is an empty slot.
struct RowTable {
    private var slots: [UInt64]
    private var count = 0

    /// - Parameter rows: how many rows are expected.
    init(reserving rows: Int) {
        slots = Array(repeating: 0, count: Self.slotCount(for: rows))
    }

    /// The row with this id, compared with `idOfRow`; nil if there is none.
    @inline(__always)
    func row(_ id: UUID, idOfRow: (Int) -> UUID) -> Int? {
        let hash = Self.hash(id)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            if slots[slot] >> 32 == hash >> 32 {
                let row = Int(slots[slot] & 0xFFFF_FFFF) - 1
                if idOfRow(row) == id { return row }
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds an id that the table does not have.
    mutating func add(_ id: UUID, row: Int, idOfRow: (Int) -> UUID) {
        count += 1
        if 2 * count > slots.count { grow(idOfRow) }
        place(Self.hash(id), row)
    }

    private mutating func place(_ hash: UInt64, _ row: Int) {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = (hash >> 32) << 32 | UInt64(row + 1)
    }

    private mutating func grow(_ idOfRow: (Int) -> UUID) {
        let old = slots
        slots = Array(repeating: 0, count: Self.slotCount(for: 2 * count))
        for slot in old where slot != 0 {
            let row = Int(slot & 0xFFFF_FFFF) - 1
            place(Self.hash(idOfRow(row)), row)
        }
    }

    private static func slotCount(for rows: Int) -> Int {
        1 << (Int.bitWidth - max(2 * rows, 1_024).leadingZeroBitCount)
    }

    private static func hash(_ id: UUID) -> UInt64 {
        withUnsafeBytes(of: id.uuid) { $0.loadUnaligned(as: UInt64.self) }
    }
}
