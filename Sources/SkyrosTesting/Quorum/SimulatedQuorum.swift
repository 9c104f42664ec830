import SkyrosDisk
package import SkyrosLog

/// Three database servers that replicate a log: a primary, and two standbys of which one must have
/// a commit before it is acknowledged. It behaves as PostgreSQL does with `synchronous_commit = on`
/// and `synchronous_standby_names = 'ANY 1 (…)'`, including what is surprising about it:
///
/// - A commit that waits for a standby is on the disk of the primary. When the wait is cancelled,
///   the client gets a success with a warning; when the primary restarts, the commit is visible.
///   In both cases no standby may have it.
/// - A transaction whose client is gone still waits, and may be acknowledged to nobody later.
/// - Another server may be promoted, which has less.
///
/// Nothing runs by itself: replication happens when a call or the test says so, faults happen as
/// `chance` decides. So a run is a function of its seed.
package final class SimulatedQuorum: Sendable {
    /// What the servers do when they are used.
    package enum Event: CaseIterable, Sendable {
        /// Nothing special: the quorum acknowledges.
        case none
        /// The connection is lost before the statement arrives.
        case lostBefore
        /// It is lost, and the statement arrives while the client looks for it, or afterwards.
        case delayed
        /// It is lost after the commit was acknowledged, on the way back.
        case lostAfter
        /// It is lost while the commit waits, which it still does afterwards.
        case lostWhileWaiting
        /// An administrator cancels the wait.
        case cancelled
        /// The primary restarts while the commit waits.
        case restarted
        /// The primary dies before the commit reaches a standby, and the best standby is promoted.
        case failedOverBefore
        /// The primary dies when a standby has the commit, and the best standby is promoted.
        case failedOverAfter
    }

    /// Deviations from what a server or a client must do, which tests must notice.
    package enum Canary: CaseIterable, Sendable {
        /// A success with a warning counts as a success.
        case ignoresWarnings
        /// The condition of an append compares the number only.
        case comparesNumbersOnly
        /// The condition of compressing batches does not compare them.
        case sealsWithoutComparing
    }

    /// One transaction: batches, or a frame of earlier ones, or nothing.
    struct Commit: Equatable, Sendable {
        var batches: [RemoteBatch] = []
        var origin: UInt64 = 0
        var frame: RemoteFrame?
    }

    struct Machine: Sendable {
        /// What is on its disk, in order.
        var log: [Commit] = []
        var isUp = true
        /// How much of it other connections see: on the primary, what does not wait any more.
        var visibleCount = 0

        /// What other connections see of the compressed batches.
        var frames: [RemoteFrame] { log.prefix(visibleCount).compactMap(\.frame) }

        /// What they see of the others. One that was the last one of all when it was compressed
        /// stays.
        var rows: [RemoteBatch] {
            var rows: [RemoteBatch] = []
            for commit in log.prefix(visibleCount) {
                rows += commit.batches
                guard let frame = commit.frame else { continue }
                let last = rows.last?.sequence
                rows.removeAll { frame.sequences.contains($0.sequence) && $0.sequence != last }
            }
            return rows
        }

        func head(_ count: Int, _ beginning: LogHead) -> LogHead {
            log.prefix(count).last { !$0.batches.isEmpty }?.batches.last?.head ?? beginning
        }
    }

    struct State: Sendable {
        var machines = [Machine(), Machine(), Machine()]
        var primary = 0
        /// Ascends with each promotion, restart and death: connections of before are lost.
        var era = 0
        /// What arrives after some other statements.
        var delayed: (commit: Commit, head: LogHead, statementCount: Int)?
        /// How often that has happened.
        var delayCount = 0
        /// Who may write; nil if nobody has asked in this era.
        var turn: TurnHolder?
        var connectionCount = 0
        /// Why no connection is accepted.
        var refusal: ServerError?
        /// Whether there is a log.
        var hasLog = true
        /// The batches that were read.
        var readCount = 0
        /// Of subscriptions. All servers have them immediately: no test asks what a failover does
        /// to them.
        var positions: [String: RemotePosition] = [:]
    }

    struct News: Sendable {
        /// Ascends with each piece of news.
        var count = 0
        /// The last one that is no announcement.
        var lastOther = 0
        /// What was announced last.
        var head: LogHead?
        /// Whether announcements are lost.
        var losesAnnouncements = false
    }

    package let storeID: StoreID
    let state = Locked(State())
    /// What connections wait for.
    let news = Monitor(News())
    /// Whether a standby may be promoted that has less than the other one.
    let promotesAny: Bool
    let canary: Canary?
    /// How far the clock of the servers is behind that of the nodes, in microseconds.
    let clockLag: Int64
    /// Whether every connection gets the turn to write, so that only the chain hash is a fence.
    let sharesTurn: Bool
    private let chance: @Sendable () -> Event

    package init(
        _ storeID: StoreID, promotesAny: Bool = false, canary: Canary? = nil,
        sharesTurn: Bool = false, clockLag: Int64 = 0, chance: @escaping @Sendable () -> Event
    ) {
        self.clockLag = clockLag
        self.storeID = storeID
        self.promotesAny = promotesAny
        self.canary = canary
        self.sharesTurn = sharesTurn
        self.chance = chance
    }

    /// A connection of a node.
    package func connection() -> any LogServer { SimulatedServer(self) }

    /// The batches that the primary has on its disk, in order.
    package var batches: [RemoteBatch] {
        state.withLock { $0.machines[$0.primary].log.flatMap(\.batches) }
    }

    /// Refuses connections from now on, or accepts them again.
    package func refuseConnections(_ error: ServerError?) {
        state.withLock { $0.refusal = error }
    }

    /// Whether there is a log; if not, a node may make it.
    package var hasLog: Bool {
        get { state.withLock { $0.hasLog } }
        set { state.withLock { $0.hasLog = newValue } }
    }

    /// How many frames it has.
    package var frameCount: Int {
        state.withLock { state in state.machines[state.primary].frames.count }
    }

    /// Restarts the primary.
    package func restart() {
        state.withLock { $0.restart() }
        noteNews()
    }

    /// Replaces all servers by older ones, as from a backup: they have this number of batches.
    package func restore(batchCount: Int) {
        state.withLock { state in
            let log = state.machines[state.primary].log
            var count = 0
            let kept = log.prefix { commit in
                count += commit.batches.count
                return count <= batchCount
            }
            for index in state.machines.indices {
                state.machines[index].log = Array(kept)
                state.machines[index].visibleCount = kept.count
            }
            state.restart()
        }
        noteNews()
    }

    /// Changes the bytes of a batch on all servers, but not its chain hash, as a damaged disk does.
    package func damage(_ sequence: UInt64) {
        state.withLock { state in
            for index in state.machines.indices {
                state.machines[index].log = state.machines[index].log.map { commit in
                    var commit = commit
                    commit.batches = commit.batches.map { batch in
                        guard batch.sequence == sequence else { return batch }
                        return RemoteBatch(
                            sequence: sequence, chainHash: batch.chainHash,
                            bytes: batch.bytes.reversed())
                    }
                    return commit
                }
            }
        }
    }

    /// Removes batches from all servers, but no later ones, as a damaged disk does.
    package func lose(_ sequences: ClosedRange<UInt64>) {
        state.withLock { state in
            for machine in state.machines.indices {
                for commit in state.machines[machine].log.indices {
                    state.machines[machine].log[commit].batches.removeAll {
                        sequences.contains($0.sequence)
                    }
                }
            }
        }
    }

    /// How many batches were read that are not compressed, of all connections.
    package var readCount: Int { state.withLock { $0.readCount } }

    /// Lets each connection check the log.
    func noteNews() {
        news.change { news in
            news.count += 1
            news.lastOther = news.count
        }
    }

    /// Loses what writers announce from now on.
    package func loseAnnouncements() { news.change { $0.losesAnnouncements = true } }

    func announce(_ head: LogHead) {
        news.change { news in
            if news.losesAnnouncements { return }
            news.count += 1
            news.head = head
        }
    }

    var beginning: LogHead { LogHead(sequence: 0, chainHash: ChainHash(beginning: storeID)) }

    func nextEvent() -> Event { chance() }
}

extension SimulatedQuorum.State {
    /// The best standby gets everything up to a commit, and the primary releases what waits.
    mutating func replicate() {
        let log = machines[primary].log
        for index in machines.indices where index != primary && machines[index].isUp {
            machines[index].log = log
            machines[index].visibleCount = log.count
            machines[primary].visibleCount = log.count
            return
        }
    }

    /// Lets a statement of a lost connection arrive later, each time after more other ones.
    mutating func delay(_ commit: SimulatedQuorum.Commit, after head: LogHead) {
        delayed = (commit, head, delayCount % Self.delayMax)
        delayCount += 1
    }

    /// A client connects, takes the turn, waits for the quorum, asks for the state and for the
    /// batch, and sends it again.
    private static let delayMax = 7

    /// Notes that another statement comes: that of a lost connection may arrive before it.
    mutating func noteStatement(after beginning: LogHead) {
        guard let (commit, head, count) = delayed else { return }
        delayed = count == 0 ? nil : (commit, head, count - 1)
        if count > 0 { return }
        let machine = machines[primary]
        guard machine.head(machine.log.count, beginning) == head else { return }
        machines[primary].log.append(commit)
        replicate()
    }

    /// The other standby gets what the best one has.
    mutating func catchUp() {
        let log = machines[primary].log.prefix(machines[primary].visibleCount)
        for index in machines.indices where index != primary && machines[index].isUp {
            guard machines[index].log.count < log.count else { continue }
            machines[index].log = Array(log)
            machines[index].visibleCount = log.count
        }
    }

    private mutating func beginEra() {
        era += 1
        (turn, delayed) = (nil, nil)
    }

    /// The primary restarts: what waited is visible, though no standby may have it.
    mutating func restart() {
        beginEra()
        machines[primary].visibleCount = machines[primary].log.count
    }

    /// The primary dies, and another server takes its place. What died comes back as a standby,
    /// without what the new primary does not have.
    mutating func failOver(toWorst: Bool) {
        beginEra()
        let others = machines.indices.filter { $0 != primary }
        let byExtent = others.sorted { machines[$0].log.count < machines[$1].log.count }
        guard let worst = byExtent.first, let best = byExtent.last else { return }
        primary = toWorst ? worst : best
        let log = machines[primary].log
        machines[primary].visibleCount = log.count
        for index in machines.indices where index != primary {
            let common = zip(machines[index].log, log).prefix { $0 == $1 }.count
            machines[index].log = Array(log.prefix(common))
            machines[index].visibleCount = common
        }
    }
}
