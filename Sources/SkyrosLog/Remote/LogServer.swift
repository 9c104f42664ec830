/// A server that keeps a log for several nodes, as one of them sees it: a connection, which may be
/// lost and made anew.
///
/// A server is responsible for:
/// - order: it appends batches only after the head that the caller names, so two nodes cannot both
///   append the next one;
/// - durability: batches that it acknowledges survive the loss of any one machine;
/// - honesty: it never acknowledges what only one machine has.
///
/// It knows neither what a batch means nor who may write: see `RemoteLog`.
///
/// Used by one thread at a time.
package protocol LogServer: AnyObject, Sendable {
    /// Connects, or connects again: what was in flight on the former connection is no longer.
    ///
    /// - Throws: `ServerError` with `.unavailable`, or `.refused` if connecting again cannot help.
    func connect() throws(ServerError)

    /// Whether there is a log.
    func exists() throws(ServerError) -> Bool

    /// Makes an empty log, if there is none.
    ///
    /// - Parameter storeID: the identity of the new store; a log that is there keeps its own.
    func create(_ storeID: StoreID) throws(ServerError)

    /// What the log is, and where it ends.
    ///
    /// The last batches may be visible before the quorum has them: call `waitForQuorum` first if
    /// that matters.
    func state() throws(ServerError) -> ServerState

    /// Appends batches after `head`, in one transaction; returns when the quorum has them.
    ///
    /// - Parameter origin: a number by which `origin(of:)` shows that the batches are of this
    ///   append: another node may append the same bytes.
    /// - Throws: `ServerError` with `.conflict` if the log ends elsewhere, `.unknown` if it cannot
    ///   be said whether they were appended.
    func append(
        _ batches: [RemoteBatch], after head: LogHead, origin: UInt64
    ) throws(ServerError)

    /// The append that a batch is of; nil if the server does not hold the batch, or has compressed
    /// it.
    func origin(of sequence: UInt64) throws(ServerError) -> BatchOrigin?

    /// Returns when the quorum has everything that this connection sees.
    ///
    /// It is a commit without content: commits reach the quorum in their order.
    func waitForQuorum() throws(ServerError)

    /// The chain hash through a batch; nil if the server does not hold it, or has compressed it.
    func chainHash(through sequence: UInt64) throws(ServerError) -> ChainHash?

    /// The batches from `sequence` on that are not compressed, in their order: as many as fit into
    /// `byteCountMax`, or one larger one. None if the log ends before.
    func batches(
        from sequence: UInt64, byteCountMax: Int
    ) throws(ServerError) -> [RemoteBatch]

    /// The compressed batches among which is `sequence`; nil if there are none.
    func frame(containing sequence: UInt64) throws(ServerError) -> RemoteFrame?

    /// Puts compressed batches in the place of the same ones, in one transaction. The last batch of
    /// the log also stays as it is: the next one is appended after it.
    ///
    /// - Throws: `ServerError` with `.conflict` if the frame does not continue those that there
    ///   are, or if the batches are others.
    func seal(_ frame: RemoteFrame) throws(ServerError)

    /// The time of the server, in microseconds since 1970; nil if it has no clock.
    func time() throws(ServerError) -> Int64?

    /// The positions of subscriptions, by their names.
    func positions() throws(ServerError) -> [String: RemotePosition]

    /// Keeps the position of a subscription; nil to forget it. Returns when the quorum has it.
    func save(_ position: RemotePosition?, of name: String) throws(ServerError)

    /// Takes the turn to write for this connection, as long as that lasts; returns who has it then,
    /// this connection or another one.
    ///
    /// The turn saves work: nodes that append side by side refuse each other's groups. It is not
    /// what makes appending safe: the chain hash is.
    ///
    /// - Parameter node: what people call this node.
    func takeTurn(as node: String) throws(ServerError) -> TurnHolder

    /// Who has the turn to write; nil if it can be taken.
    func turn() throws(ServerError) -> TurnHolder?

    /// Tells the connections that wait for news that the quorum has all batches through `head`,
    /// which an append of this node has said.
    ///
    /// It may arrive or not, and is not waited for: nodes also check the log by themselves.
    ///
    /// - Throws: `ServerError` if the connection is lost.
    func announce(_ head: LogHead) throws(ServerError)

    /// Returns what was announced meanwhile; nil after some milliseconds, when `wake` is called, or
    /// earlier if the log should be checked.
    func waitForNews(atMost milliseconds: Int) throws(ServerError) -> LogHead?

    /// Returns after some milliseconds, or when `wake` is called. News are not kept meanwhile.
    ///
    /// - Throws: `ServerError` as soon as the connection is lost.
    func wait(atMost milliseconds: Int) throws(ServerError)

    /// Ends a wait, or the next one if no thread waits now. May be called by any thread.
    func wake()

    /// Ends the connection. A call that waits for the server ends with an error.
    func disconnect()
}

/// A log on a server.
package struct ServerState: Equatable, Sendable {
    /// The store that the log belongs to.
    package var storeID: StoreID
    /// The first batch that the server keeps.
    package var firstSequence: UInt64
    /// The last batch that is compressed; the one before the first if none is.
    package var sealedThrough: UInt64
    /// The last batch.
    package var head: LogHead

    package init(
        storeID: StoreID, firstSequence: UInt64, sealedThrough: UInt64, head: LogHead
    ) {
        self.storeID = storeID
        self.firstSequence = firstSequence
        self.sealedThrough = sealedThrough
        self.head = head
    }
}

/// How far a subscription is.
package struct RemotePosition: Equatable, Sendable {
    /// The last batch that was handled, and the chain hash through it.
    package var head: LogHead
    package var keepsHistory: Bool

    package init(head: LogHead, keepsHistory: Bool) {
        self.head = head
        self.keepsHistory = keepsHistory
    }
}

/// Who may write.
package struct TurnHolder: Equatable, Sendable {
    /// What people call the node.
    package var node: String
    /// A name of the node's connection, which no other one has.
    package var connection: String
    /// Whether it is the connection that was asked.
    package var isOwn: Bool

    package init(node: String, connection: String, isOwn: Bool) {
        self.node = node
        self.connection = connection
        self.isOwn = isOwn
    }
}

/// A batch as a server keeps it.
package struct RemoteBatch: Equatable, Sendable {
    package let sequence: UInt64
    /// The chain hash through it.
    package let chainHash: ChainHash
    package let bytes: [UInt8]

    package init(sequence: UInt64, chainHash: ChainHash, bytes: [UInt8]) {
        self.sequence = sequence
        self.chainHash = chainHash
        self.bytes = bytes
    }

    package var head: LogHead { LogHead(sequence: sequence, chainHash: chainHash) }
}

/// The append that a batch is of.
package struct BatchOrigin: Equatable, Sendable {
    /// The chain hash through the batch.
    package let chainHash: ChainHash
    /// The number that the append has given.
    package let number: UInt64

    package init(chainHash: ChainHash, number: UInt64) {
        self.chainHash = chainHash
        self.number = number
    }
}

/// What can go wrong between a node and a server.
package enum ServerError: Error, Equatable, Sendable {
    /// The server cannot be reached, or has no quorum. Nothing was changed; try again.
    case unavailable(String)
    /// The connection was lost, or the server has warned, while a transaction was committed: it may
    /// have been, or may still be.
    case unknown(String)
    /// The log ends elsewhere than the caller has said. Nothing was changed.
    case conflict
    /// The server refuses, and would do so again. Nothing was changed.
    case refused(LogError)
}
