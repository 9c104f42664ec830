import SkyrosPlatform

/// Large blocks of memory, for arenas.
package enum HugePageSlab {
    /// Slabs of this size or more use huge pages where the system has them: 2 MiB.
    package static let hugePageBytes = 1 << 21

    /// Allocates `byteCount` bytes, a power of two, uninitialized and aligned to a cache line. Free
    /// them with `deallocate()`.
    ///
    /// Random access to much memory misses the TLB as often as the caches. One huge page replaces
    /// 512 ordinary ones, so its entry stays in the TLB.
    package static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        guard byteCount >= hugePageBytes else {
            return .allocate(byteCount: byteCount, alignment: 64)
        }
        let slab = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount, alignment: hugePageBytes)
        Platform.adviseHugePages(slab, byteCount)
        return slab
    }
}
