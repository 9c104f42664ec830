import SkyrosDisk
import Synchronization

/// One call of a history: what it did, what it saw, and when it was begun and had returned.
struct RecordedCall: Sendable, CustomStringConvertible {
    enum Action: Sendable {
        /// A write block that saw one value and wrote another, as event `sequence`.
        case write(saw: Int, wrote: Int, sequence: UInt64)
        /// A read from a snapshot that says what it is a snapshot of.
        case readSnapshot(saw: Int, sequence: UInt64)
        /// A read of the newest value.
        case read(saw: Int)
    }

    let key: Int
    /// No two writes write the same value; 0 is none.
    var action: Action
    /// Points of a common clock.
    let begun: Int
    let returned: Int

    var isWrite: Bool { if case .write = action { true } else { false } }

    var description: String { "[\(begun)–\(returned)] key \(key) \(action)" }
}

/// Takes down the calls of many threads, with a clock that only ticks when it is looked at.
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
