import SkyrosDisk
import SkyrosLog
import SkyrosTesting

/// Servers whose faults a test lists, and nodes of them.
struct ScriptedQuorum {
    let faults = Locked<[SimulatedQuorum.Event]>([])
    let quorum: SimulatedQuorum
    private let change: @Sendable (inout RemoteLogOptions) -> Void

    /// - Parameter change: changes the options of each node.
    init(changing change: @escaping @Sendable (inout RemoteLogOptions) -> Void) {
        let faults = faults
        self.change = change
        quorum = SimulatedQuorum(LogFixture().storeID) {
            faults.withLock { $0.isEmpty ? .none : $0.removeFirst() }
        }
    }

    func node(
        _ name: String, pausing pause: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> RemoteLog {
        var options = RemoteLogOptions()
        (options.node, options.pause) = (name, pause)
        change(&options)
        let local = try LogFixture().make(on: SimulatedDisk())
        return RemoteLog(quorum.connection(), local, options)
    }
}
