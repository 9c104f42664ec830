import SkyrosDisk

extension FileLog {
    package var sealedExtent: (byteCount: Int, lastSequence: UInt64)? {
        let catalog = state.withLock { $0.catalog }
        guard let last = catalog.sealed.last?.lastSequence ?? catalog.floor?.head.sequence else {
            return nil
        }
        let floorBytes = catalog.floor?.byteCount ?? 0
        return (catalog.sealed.reduce(floorBytes) { $0 + $1.byteCount }, last)
    }

    package func checkSealed(
        from sequence: UInt64, byteCountMax: Int
    ) throws(LogError) -> SealedCheck {
        try checkNotSuspended()
        let catalog = state.withLock { $0.catalog }
        let check = try catalog.checkSealed(
            from: sequence, byteCountMax: byteCountMax, on: directory.disk)
        // Another process may have replaced what was read meanwhile.
        try checkNotSuspended()
        return check
    }
}
