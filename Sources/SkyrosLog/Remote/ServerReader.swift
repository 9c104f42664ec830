import SkyrosDisk

/// The log of a server, read from the server: to compare what it holds with what it should.
///
/// A read that cannot reach the server throws `LogError` with `.unavailable`.
package final class ServerReader: LogReader {
    private let server: any LogServer
    private let format: FrameFormat
    package let storeID: StoreID
    package let head: LogHead
    private let sealedThrough: UInt64
    /// A server keeps all batches.
    package var floor: LogFloor? { nil }

    private static let partBytesMax = 4 << 20

    /// Reads the log as it is now, of which the quorum has all.
    ///
    /// - Parameter server: a connection, which no other thread uses.
    package init(
        _ server: any LogServer, framing: @escaping PayloadFraming
    ) throws(ServerError) {
        self.server = server
        format = FrameFormat(LogOptions(), framing)
        try server.waitForQuorum()
        let state = try server.state()
        storeID = state.storeID
        head = state.head
        sealedThrough = state.sealedThrough
    }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        guard sequence > 0, sequence <= head.sequence else { return nil }
        do throws(ServerError) {
            let batches = try server.next(
                from: sequence, sealedThrough: sealedThrough, byteCountMax: Self.partBytesMax,
                format)
            guard let before = try server.chainHash(through: sequence - 1, format),
                !batches.isEmpty
            else { return nil }
            return LogChunk(
                firstSequence: sequence, chainHashBefore: before, batches: batches.map(\.bytes))
        } catch {
            throw LogError(error)
        }
    }
}
