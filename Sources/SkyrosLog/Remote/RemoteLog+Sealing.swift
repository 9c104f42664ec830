import SkyrosDisk

extension RemoteLog {
    /// Compresses the next batches on the server, as the node that writes it; returns whether there
    /// are more. The newest ones stay as they are: followers read them one by one.
    ///
    /// - Parameter server: a connection, which no other thread uses.
    /// - Throws: `ServerError`.
    package func seal(with server: any LogServer) throws(ServerError) -> Bool {
        guard isWriter, isSealingDue else { return false }
        let sealed = try sealedThrough(server)
        guard let frame = try nextFrame(after: sealed) else {
            noteSealed(sealed)
            return false
        }
        do throws(ServerError) {
            try server.seal(frame)
        } catch {
            // Another node was the writer, and has done it.
            guard error == .conflict else { throw error }
            sealing.withLock { $0 = Sealing() }
            return false
        }
        noteSealed(frame.sequences.upperBound)
        return isSealingDue
    }

    private var isSealingDue: Bool {
        let end = durableEnd
        return sealing.withLock { sealing in
            guard let last = sealing.last else { return true }
            let byteCount = end.byteCount - sealing.byteCount
            return end.head.sequence >= last + options.unsealedCountMax
                || byteCount >= options.unsealedBytesMax
        }
    }

    private func noteSealed(_ last: UInt64) {
        let byteCount = durableEnd.byteCount
        sealing.withLock { $0 = Sealing(last: last, byteCount: byteCount) }
    }

    private func sealedThrough(_ server: any LogServer) throws(ServerError) -> UInt64 {
        if let last = sealing.withLock({ $0.last }) { return last }
        return try server.state().sealedThrough
    }

    /// The next batches that are compressed; nil if there are too few.
    private func nextFrame(after sealed: UInt64) throws(ServerError) -> RemoteFrame? {
        let head = local.head.sequence
        guard head > sealed + options.keptCount else { return nil }
        do throws(LogError) {
            return try RemoteFrame.next(
                after: sealed, through: head - options.keptCount, byteCount: options.frameBytes,
                of: local)
        } catch {
            throw .refused(error)
        }
    }
}
