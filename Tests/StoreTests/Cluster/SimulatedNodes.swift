import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport

@testable import Skyros

/// Stores whose log is on simulated servers.
struct SimulatedNodes {
    let faults = Locked<[SimulatedQuorum.Event]>([])
    /// A transaction waits while it is closed.
    let gate = Monitor(true)
    /// The transactions that have begun.
    let begun = Monitor(0)
    let quorum: SimulatedQuorum

    init(seed: UInt64 = 5, clockLag: Int64 = 0) {
        let (faults, gate, begun) = (faults, gate, begun)
        quorum = SimulatedQuorum(StoreID(from: SeededEntropy(seed: seed)), clockLag: clockLag) {
            begun.change { $0 += 1 }
            gate.wait { $0 ? () : nil }
            return faults.withLock { $0.isEmpty ? .none : $0.removeFirst() }
        }
    }

    func store(
        _ name: String, _ role: NodeRole = .automatic, on disk: any Disk = SimulatedDisk(),
        _ options: Store.Options = Store.Options(), clock: any WallClock = SystemClock(),
        of types: [any Entity.Type] = [Note.self], pollMilliseconds: Int = 20,
        changing change: (inout RemoteLogOptions) -> Void = { _ in }
    ) throws -> Store {
        var plan = NodePlan(role, name: name) { [quorum] in quorum.connection() }
        plan.pollMilliseconds = pollMilliseconds
        plan.log.pause = { _ in }
        change(&plan.log)
        return try Store(
            Schema(types), options, Environment(disk: disk, clock: clock), node: plan)
    }

    /// Lets a store lose its turn while one event is on its way, and what `write` queues waits.
    func loseTurn(of store: Store, with write: () -> Void) {
        gate.change { $0 = false }
        let count = begun.withLock { $0 }
        store.writeAsync { tx in
            try tx.insert(Note(id: 100, text: "sent"))
        } completion: { _ in
        }
        begun.wait { $0 > count ? () : nil }
        write()
        let hasRun = Monitor(false)
        store.writeAsync { _ in
            hasRun.change { $0 = true }
        } completion: { _ in
        }
        hasRun.wait { $0 ? () : nil }
        store.session.engine.shared?.endTurn(.notTheWriter("two"))
        gate.change { $0 = true }
    }
}
