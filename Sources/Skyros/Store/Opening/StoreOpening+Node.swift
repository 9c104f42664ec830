import SkyrosDisk
import SkyrosLog

extension StoreOpening {
    /// The limits of the log in files.
    var logOptions: LogOptions { node == nil ? options.log : options.log.ofCopy }

    /// Connects to the server, makes the log there if there is none, and brings the copy up to
    /// date; returns nil for a store in files.
    func prepareNode() throws -> PreparedNode? {
        guard let node else {
            try ServerCache.refuseCopy(on: disk)
            return nil
        }
        let server = try StoreError.wrap(try node.makeServer())
        let cache = ServerCache(disk: disk, options: options.log, entropy: environment.entropy)
        do {
            let common = try cache.update(from: server, state(of: server, node, cache))
            var plan = node
            plan.log.batchBytesMax = options.log.batchBytesMax
            return PreparedNode(plan: plan, server: server, common: common)
        } catch {
            server.disconnect()
            if let error = error as? ServerError { throw StoreError(LogError(error)) }
            throw error
        }
    }

    /// Connects to the server, and makes the log if there is none and nothing refuses the opening.
    private func state(
        of server: any LogServer, _ node: NodePlan, _ cache: ServerCache
    ) throws -> ServerState {
        try server.connect()
        let exists = try server.exists()
        guard exists || (options.createsStore && node.role != .reader) else {
            throw ServerError.refused(LogError(.noLog, "there is no store on the server"))
        }
        if node.role != .reader { try node.checkClock(environment.clock, of: server) }
        if !exists {
            let storeID = StoreID(from: environment.entropy)
            try cache.checkedMarker(of: storeID)
            try server.create(storeID)
        }
        return try server.state()
    }

    /// Whether a store may be created here; not where an erasure is to be finished, or where the
    /// copy of a server's log is made anew.
    func mayCreate() throws -> Bool {
        if node != nil, try ServerCache.isCopy(disk) { return false }
        return try !ErasureMarker.exists(on: disk)
    }

    /// Adds the events to a state that other nodes have written since.
    func fold(
        _ log: any LogEngine, into snapshot: inout Snapshot, _ dirty: inout DirtyRows,
        _ keys: inout KeyTable
    ) throws {
        let last = SequenceNumber(rawValue: log.head.sequence)
        guard last > snapshot.sequence else { return }
        try HistoryReader.fold(log, through: last, into: &snapshot, marking: &dirty) {
            keyWindow.note($0, in: &keys)
            return true
        }
    }
}

/// A node whose copy of the log is up to date.
struct PreparedNode {
    let plan: NodePlan
    let server: any LogServer
    /// The last event that the copy and the server both have, if the copy had others and was set
    /// aside, now or in an opening that has failed.
    let common: SequenceNumber?

    /// Makes the engine of the node, and takes the turn to write if it is free.
    ///
    /// - Parameter local: the copy.
    /// - Throws: `StoreError` with `.alreadyOpen` if a node that must write cannot.
    func join(_ local: FileLog) throws -> RemoteLog {
        var options = plan.log
        options.node = plan.name
        options.time = EventCoding.microseconds(of:)
        let log = RemoteLog(server, local, options)
        do throws(ServerError) {
            if plan.role == .reader {
                server.disconnect()
            } else if try !log.takeTurn(), plan.role == .writer {
                throw .refused(.notTheWriter(log.writer))
            }
        } catch {
            server.disconnect()
            throw StoreError(LogError(error))
        }
        return log
    }
}
