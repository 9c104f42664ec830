#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Large pieces of memory that others cut up.
package enum HugePageSlab {
    /// From this size on a slab is made of huge pages where the system has them: 2 MiB.
    package static let hugePageBytes = 1 << 21

    /// Memory for `byteCount` bytes, a power of two, not initialized, that begins at a multiple of
    /// a cache line. To be given back by `deallocate()`.
    ///
    /// Who reads here and there in much memory waits for the tables of its pages as long as for the
    /// memory itself. One huge page stands for 512 ordinary ones, and its entry stays at hand.
    package static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        guard byteCount >= hugePageBytes else {
            return .allocate(byteCount: byteCount, alignment: 64)
        }
        let slab = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount, alignment: hugePageBytes)
        #if os(Linux)
            // Advice: where it is not taken, the slab is of ordinary pages.
            madvise(slab, byteCount, MADV_HUGEPAGE)
        #endif
        return slab
    }
}
