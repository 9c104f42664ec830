import SkyrosDisk
import Synchronization

/// One call of a history: its effect, the value that it saw, and the times of its start and return.
struct RecordedCall: Sendable, CustomStringConvertible {
    enum Action: Sendable {
        /// A write block that saw one value and wrote another, as event `sequence`.
        case write(saw: Int, wrote: Int, sequence: UInt64)
        /// A read from a snapshot with a known sequence.
        case readSnapshot(saw: Int, sequence: UInt64)
        /// A read of the newest value.
        case read(saw: Int)
    }

    let key: Int
    /// No two writes write the same value; 0 means that there is no record.
    var action: Action
    /// Ticks of a logical clock.
    let begun: Int
    let returned: Int

    var isWrite: Bool { if case .write = action { true } else { false } }

    var description: String { "[\(begun)–\(returned)] key \(key) \(action)" }
}

/// Records the calls of many threads with a logical clock, which ticks each time it is read.
final class CallRecorder: Sendable {
    private let clock = Atomic(0)
    private let list = Locked<[RecordedCall]>([])

    var calls: [RecordedCall] { list.withLock { $0 } }

    func record(of key: Int, _ call: () throws -> RecordedCall.Action) rethrows {
        let begun = tick()
        let action = try call()
        let returned = tick()
        list.withLock {
            $0.append(RecordedCall(key: key, action: action, begun: begun, returned: returned))
        }
    }

    private func tick() -> Int { clock.add(1, ordering: .sequentiallyConsistent).newValue }
}
