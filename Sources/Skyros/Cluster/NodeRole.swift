import SkyrosDisk
package import SkyrosLog

/// What a node does in a store whose log is on a server.
public enum NodeRole: Hashable, Sendable {
    /// It reads, and writes as soon as no other node does.
    case automatic
    /// It writes: opening throws `.alreadyOpen` if another node does.
    case writer
    /// It reads only.
    case reader
}

/// How a store joins others whose log is on a server.
package struct NodePlan: Sendable {
    package var role: NodeRole
    /// What people call the node.
    package var name: String
    /// How often the node checks the whole state of the server, whatever is announced, in
    /// milliseconds.
    package var pollMilliseconds = 1_000
    package var log = RemoteLogOptions()
    /// Makes a connection that is not connected yet.
    package var makeServer: @Sendable () throws -> any LogServer

    package init(
        _ role: NodeRole, name: String, makeServer: @escaping @Sendable () throws -> any LogServer
    ) {
        self.role = role
        self.name = name
        self.makeServer = makeServer
    }

    /// Throws if the clock of this machine is ahead: the times of events ascend, so one that is
    /// wrong by a day would be followed by a day of wrong times.
    func checkClock(_ clock: any WallClock, of server: any LogServer) throws(ServerError) {
        guard let time = try server.time() else { return }
        let lead = clock.nowMicroseconds().subtractingReportingOverflow(time)
        guard lead.overflow || lead.partialValue > Self.clockLeadMax else { return }
        throw .refused(
            LogError(
                .clockAhead,
                "the clock of this node says \(EventTime(microseconds: clock.nowMicroseconds())), "
                    + "that of the server \(EventTime(microseconds: time)); set the clock"))
    }

    /// In microseconds.
    private static let clockLeadMax: Int64 = 5_000_000
}
