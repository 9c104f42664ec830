/// The part of a log that several nodes write, one at a time, and that other machines acknowledge.
///
/// What is appended is read when it was acknowledged, not before: until then a failover may take it
/// back.
package protocol SharedLog: Sendable {
    /// Whether this node has the turn to write.
    var isWriter: Bool { get }

    /// Throws unless this node has the turn to write.
    func checkWriter() throws(LogError)

    /// The node that had the turn when that was last asked; nil if none had it.
    var writer: String? { get }

    /// Calls `body` for each position that was acknowledged, in their order, before those return
    /// that wait for it; and with an error when what was staged is lost. Those of earlier calls are
    /// called before.
    func observe(_ body: @escaping @Sendable (Result<LogPosition, LogError>) -> Void)

    /// Appends what other nodes have written to the local copy. Does nothing in the node that
    /// writes.
    ///
    /// - Parameter server: a connection, which no other thread uses.
    /// - Throws: `ServerError`.
    func catchUp(from server: any LogServer) throws(ServerError) -> FileLog.CatchingUp

    /// As `catchUp(from:)`, of batches of which the writer has said that the quorum has them;
    /// returns whether the local copy has them then.
    func catchUp(
        from server: any LogServer, through announced: LogHead
    ) throws(ServerError) -> Bool

    /// Compresses the next batches on the server; returns whether there are more. Does nothing in a
    /// node that does not write.
    ///
    /// - Parameter server: a connection, which no other thread uses.
    /// - Throws: `ServerError`.
    func seal(with server: any LogServer) throws(ServerError) -> Bool

    /// Takes the turn to write on the server; nil if another node has it, if this one has it
    /// already, or if the local copy is not complete. This node writes from `beginTurn` on.
    ///
    /// - Throws: `ServerError`; then the turn is free.
    func prepareTurn() throws(ServerError) -> TurnHolder?

    /// Begins the turn that `prepareTurn` has taken.
    func beginTurn(_ turn: TurnHolder)

    /// Takes the turn again if the connection was lost that had it, and no other node has it.
    ///
    /// - Throws: `ServerError`.
    func renewTurn() throws(ServerError)

    /// Gives up the turn. A group in flight still gets its outcome; what was not sent is lost.
    func endTurn(_ error: LogError)

    /// Gives up the turn that a connection has had, unless a thread is sending, perhaps by another
    /// one.
    func endTurn(of connection: String, _ error: LogError)

    /// Gives up the turn if the log of the server ends elsewhere: another node has appended while
    /// the server had forgotten whose turn it is, or the server has lost events. This node would
    /// not show that.
    ///
    /// - Parameter server: a connection, which no other thread uses.
    /// - Throws: `ServerError`.
    func endTurnIfBehind(_ server: any LogServer) throws(ServerError)

    /// Whether a turn has ended, and not everybody knows it yet.
    var isEndingTurn: Bool { get }

    /// Gives what the local copy has in memory to the operating system: of events that the server
    /// loses, the copies of nodes may be all that is left.
    func flushCopy() throws(LogError)

    /// Waits until everything that is staged was acknowledged or is lost, and its observer knows.
    func settle()

    /// Takes note of the node that has the turn.
    func noteWriter(_ node: String?)

    /// The connection by which this node has the turn; nil if it does not have it.
    var turnConnection: String? { get }
}
