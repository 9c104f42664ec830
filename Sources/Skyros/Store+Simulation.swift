package import SkyrosDisk
import SkyrosLog

// What simulations need: a store of which nothing happens but what they ask for, in their order.

extension Store {
    /// A thing that a store otherwise does by itself in the background.
    package enum MaintenanceStep: Sendable {
        /// The oldest segment that has ended is sealed, if there is one.
        case seal
        /// The end of the log is marked, as after a pause.
        case mark
        /// The checkpoint is brought to the newest state.
        case checkpoint
    }

    /// Opens a store that seals what an earlier life left to seal, and does nothing by itself
    /// once this has returned.
    package static func simulated(
        _ entities: [any Entity.Type], _ options: Options, _ environment: Environment
    ) throws -> Store {
        let store = try Store(Schema(entities), options, environment)
        store.maintenance.stop()
        return store
    }

    /// Does it on the calling thread.
    package func run(_ step: MaintenanceStep) throws {
        switch step {
        case .seal:
            _ = try StoreError.wrap(try resources.log.segments?.sealNext())
        case .mark:
            try StoreError.wrap(try resources.log.segments?.markIdle())
        case .checkpoint: try maintenance.checkpoint()
        }
    }

    /// The last event that a power cut leaves, and the last one that a kill leaves, as far as the
    /// store knows.
    package var safeSequences: (durable: SequenceNumber, written: SequenceNumber) {
        (
            SequenceNumber(rawValue: resources.log.durableEnd.head.sequence),
            SequenceNumber(rawValue: resources.log.writtenHead.sequence)
        )
    }
}
