import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import Testing

@testable import Skyros

private struct Page: Entity {
    var id: Int
}

extension ErrorProvocation {
    /// Opens or writes a store whose servers do not do what they should.
    static func useServers(_ code: ErrorCode) throws {
        let faults = Locked<[SimulatedQuorum.Event]>([])
        let quorum = SimulatedQuorum(StoreID(from: SystemEntropy())) {
            faults.withLock { $0.popLast() ?? .none }
        }
        var plan = NodePlan(.writer, name: "one") { quorum.connection() }
        plan.log.patienceMilliseconds = 0
        if code != .outcomeUnknown {
            quorum.refuseConnections(
                code == .serverUnavailable
                    ? .unavailable("it is down")
                    : .refused(LogError(.insecureDurability, "fsync is off")))
        }
        let store = try Store(
            Schema([Page.self]), Store.Options(), Environment(disk: SimulatedDisk()), node: plan)
        quorum.refuseConnections(.unavailable("it is down"))
        faults.withLock { $0 = [.lostWhileWaiting] }
        try store.write { try $0.insert(Page(id: 1)) }
        Issue.record("\(code) cannot be provoked with servers")
    }
}
