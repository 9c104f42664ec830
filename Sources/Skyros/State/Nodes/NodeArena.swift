import SkyrosDisk

/// Memory for the nodes of a tree, close together and apart from everything else.
///
/// A tree of a million rows has tens of thousands of small nodes. From the general heap each of
/// them lies on a memory page of its own, between the rows, and a lookup waits for the processor
/// to find that page longer than for anything else. Here nodes of one tree share their pages, and
/// nodes of one size are reused for each other.
///
/// Slabs of memory are taken, each twice as large as the one before up to a limit, cut from
/// front to back into blocks whose sizes are multiples of a cache line, and given back when the
/// memory itself is dropped: every node holds what its map holds, and the map holds the memory.
///
/// Safe to use from any thread. Allocating and freeing are O(1).
final class NodeArena: Sendable {
    /// Blocks begin at multiples of this and have a multiple of it: a cache line of 64 bytes.
    static let blockUnit = 64

    /// Larger blocks, which only equal hashes or long keys need, come from the heap one by one.
    private static let pooledBytesMax = 8_192

    private static let slabBytesMin = 1 << 12
    private static let slabBytesMax = HugePageSlab.hugePageBytes

    private struct Pool: ~Copyable {
        var slabs: [UnsafeMutableRawPointer] = []
        /// What is left of the newest slab.
        var rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        /// Freed blocks by size, in units; each begins with the address of the next.
        var free = [UnsafeMutableRawPointer?](
            repeating: nil, count: NodeArena.pooledBytesMax / NodeArena.blockUnit + 1)
        var usedBytes = 0
    }

    private let pool = Locked(Pool())

    deinit {
        pool.withLock { pool in
            for slab in pool.slabs { slab.deallocate() }
        }
    }

    /// The bytes of all blocks that are in use.
    var usedBytes: Int { pool.withLock { $0.usedBytes } }

    /// A block of at least `byteCount` bytes, not initialized.
    func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        let units = Self.units(byteCount)
        return pool.withLock { pool in
            pool.usedBytes += units * Self.blockUnit
            guard units < pool.free.count else { return Self.heap(units * Self.blockUnit) }
            if let block = pool.free[units] {
                pool.free[units] = block.load(as: UnsafeMutableRawPointer?.self)
                return block
            }
            return Self.cut(units, from: &pool)
        }
    }

    /// Takes back a block that was given for the same `byteCount`.
    func free(_ block: UnsafeMutableRawPointer, byteCount: Int) {
        let units = Self.units(byteCount)
        pool.withLock { pool in
            pool.usedBytes -= units * Self.blockUnit
            guard units < pool.free.count else { return block.deallocate() }
            block.storeBytes(of: pool.free[units], as: UnsafeMutableRawPointer?.self)
            pool.free[units] = block
        }
    }

    private static func units(_ byteCount: Int) -> Int {
        (byteCount + blockUnit - 1) / blockUnit
    }

    private static func heap(_ byteCount: Int) -> UnsafeMutableRawPointer {
        .allocate(byteCount: byteCount, alignment: blockUnit)
    }

    private static func cut(_ units: Int, from pool: inout Pool) -> UnsafeMutableRawPointer {
        let byteCount = units * blockUnit
        if pool.rest.count < byteCount {
            if let block = cutFreed(units, from: &pool) { return block }
            keep(pool.rest, in: &pool)
            var size = min(slabBytesMin << min(pool.slabs.count, 16), slabBytesMax)
            while size < byteCount { size <<= 1 }
            let slab = HugePageSlab.allocate(byteCount: size)
            pool.slabs.append(slab)
            pool.rest = UnsafeMutableRawBufferPointer(start: slab, count: size)
        }
        let block = pool.rest.baseAddress.unsafelyUnwrapped
        pool.rest = UnsafeMutableRawBufferPointer(rebasing: pool.rest.dropFirst(byteCount))
        return block
    }

    /// A block from the front of a larger one that was freed, before more memory is taken.
    private static func cutFreed(_ units: Int, from pool: inout Pool) -> UnsafeMutableRawPointer? {
        for larger in units + 1..<pool.free.count {
            guard let block = pool.free[larger] else { continue }
            pool.free[larger] = block.load(as: UnsafeMutableRawPointer?.self)
            let rest = UnsafeMutableRawBufferPointer(
                start: block + units * blockUnit, count: (larger - units) * blockUnit)
            keep(rest, in: &pool)
            return block
        }
        return nil
    }

    /// Keeps memory that is less than the block that is wanted, as a free block.
    private static func keep(_ rest: UnsafeMutableRawBufferPointer, in pool: inout Pool) {
        guard let block = rest.baseAddress, rest.count > 0 else { return }
        let units = rest.count / blockUnit
        block.storeBytes(of: pool.free[units], as: UnsafeMutableRawPointer?.self)
        pool.free[units] = block
    }
}
