import Foundation

/// Figures of work that changes a side's files.
enum Written {
    static let untilWritten = "until written"
    static let untilClosed = "until closed"

    /// The rate at which the work was written, and the rate until the side was closed: what a side
    /// put off is done by then.
    ///
    /// - Parameters:
    ///   - writing: what the work took so far.
    ///   - check: opens the files again and compares.
    static func figures(
        _ count: Int, _ unit: Unit, _ writing: Cost, closing peer: any Peer,
        check: () throws -> Void
    ) throws -> [Figure] {
        let closing = try Cost.measure { try peer.close() }
        try check()
        return [
            Figure(untilWritten, count, in: writing, unit),
            Figure(untilClosed, count, in: writing + closing, unit),
        ]
    }
}
