import SkyrosDisk

extension FileLog {
    package var sealedExtent: (byteCount: Int, lastSequence: UInt64)? {
        let sealed = state.withLock { $0.catalog.sealed }
        guard let last = sealed.last else { return nil }
        return (sealed.reduce(0) { $0 + $1.byteCount }, last.lastSequence)
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
