import SkyrosDisk

/// The memory of the nodes of one tree.
///
/// A tree of a million rows has tens of thousands of small nodes. The general heap would spread
/// them over pages between the rows, and a lookup would mostly wait for address translation (TLB
/// misses). The arena packs the nodes of one tree into its own pages, and reuses freed nodes for
/// nodes of the same size.
///
/// The arena allocates slabs, each twice as large as the one before up to a limit, and cuts them
/// into blocks whose sizes are multiples of a cache line. It frees the slabs when it is released:
/// every node holds a reference to its tree's root, and the root holds the arena.
///
/// Thread-safe. Allocating and freeing are O(1).
final class NodeArena: Sendable {
    /// Where blocks come from.
    enum Mode {
        /// Blocks are cut from slabs.
        case slabs
        /// Each block is allocated and freed by itself, so that the address sanitizer sees accesses
        /// outside of it and after its end. Slower.
        case malloc

        /// - Parameter setting: the value of the environment variable `SKYROS_ARENA`.
        init(setting: String?) {
            self = setting == "malloc" ? .malloc : .slabs
        }

        static let ofProcess = Mode(setting: System.environment("SKYROS_ARENA"))
    }

    /// The alignment of blocks, and the unit of their sizes: a cache line of 64 bytes.
    static let blockUnit = 64

    /// Larger blocks, which only equal hashes or long keys need, are allocated one by one.
    static let pooledBytesMax = 8_192

    private static let slabBytesMin = 1 << 12
    private static let slabBytesMax = HugePageSlab.hugePageBytes

    private struct Pool: ~Copyable {
        var slabs: [UnsafeMutableRawPointer] = []
        /// The unused end of the newest slab.
        var rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        /// Freed blocks by size, in units; each begins with the address of the next.
        var free = [UnsafeMutableRawPointer?](
            repeating: nil, count: NodeArena.pooledBytesMax / NodeArena.blockUnit + 1)
        var usedBytes = 0
    }

    private let pool = Locked(Pool())

    /// The size, in units, from which on blocks are allocated one by one.
    private let unpooledUnits: Int

    init(_ mode: Mode = .ofProcess) {
        unpooledUnits = mode == .malloc ? 0 : Self.pooledBytesMax / Self.blockUnit + 1
    }

    deinit {
        pool.withLock { pool in
            for slab in pool.slabs { slab.deallocate() }
        }
    }

    /// The bytes of all blocks that are in use.
    var usedBytes: Int { pool.withLock { $0.usedBytes } }

    /// The number of slabs that blocks were cut from.
    var slabCount: Int { pool.withLock { $0.slabs.count } }

    /// A block of at least `byteCount` bytes, not initialized.
    func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        precondition(byteCount > 0, "a node has at least a header")
        let units = Self.units(byteCount)
        return pool.withLock { pool in
            pool.usedBytes += units * Self.blockUnit
            guard units < unpooledUnits else {
                return .allocate(byteCount: byteCount, alignment: Self.blockUnit)
            }
            if let block = pool.free[units] {
                pool.free[units] = block.load(as: UnsafeMutableRawPointer?.self)
                return block
            }
            return Self.cut(units, from: &pool)
        }
    }

    /// Takes back a block that was allocated with the same `byteCount`.
    func free(_ block: UnsafeMutableRawPointer, byteCount: Int) {
        let units = Self.units(byteCount)
        pool.withLock { pool in
            pool.usedBytes -= units * Self.blockUnit
            guard units < unpooledUnits else { return block.deallocate() }
            block.storeBytes(of: pool.free[units], as: UnsafeMutableRawPointer?.self)
            pool.free[units] = block
        }
    }

    private static func units(_ byteCount: Int) -> Int {
        (byteCount + blockUnit - 1) / blockUnit
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

    /// A block from the front of a larger one that was freed, before another slab is allocated.
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

    /// Keeps memory that is smaller than the wanted block as a free block.
    private static func keep(_ rest: UnsafeMutableRawBufferPointer, in pool: inout Pool) {
        guard let block = rest.baseAddress, rest.count > 0 else { return }
        let units = rest.count / blockUnit
        block.storeBytes(of: pool.free[units], as: UnsafeMutableRawPointer?.self)
        pool.free[units] = block
    }
}
