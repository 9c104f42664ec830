/// Checks whether a history is linearizable, given that its writes took effect in sequence order.
///
/// The sequence orders the writes, which gives each call a range of positions: write n has
/// position 2n, a read of its value any position from 2n + 1 to just before the next write of that
/// key. A call that returned before another one began must not come after it. The check greedily
/// gives each call the first possible position. O(n log n), for sorting.
///
/// The property is that of Herlihy and Wing, "Linearizability: A Correctness Condition for
/// Concurrent Objects", 1990.
struct LinearOrder {
    private struct Refusal: Error {
        let why: String
    }

    /// The reason why the history is not linearizable; nil if it is.
    static func problem(with calls: [RecordedCall]) -> String? {
        do {
            try LinearOrder(calls).checkTimes(of: calls)
            return nil
        } catch {
            return (error as? Refusal)?.why ?? "\(error)"
        }
    }

    /// The writes of each key, in sequence order.
    private var writes: [Int: [(sequence: UInt64, value: Int)]] = [:]
    private var sequences: Set<UInt64> = [0]

    private init(_ calls: [RecordedCall]) throws {
        var sorted: [(sequence: UInt64, key: Int, saw: Int, wrote: Int)] = []
        for call in calls {
            if case .write(let saw, let wrote, let sequence) = call.action {
                sorted.append((sequence, call.key, saw, wrote))
            }
        }
        sorted.sort { $0.sequence < $1.sequence }
        for (index, write) in sorted.enumerated() {
            if index > 0, sorted[index - 1].sequence == write.sequence {
                throw Refusal(why: "two writes are event \(write.sequence)")
            }
            let before = writes[write.key]?.last?.value ?? 0
            guard write.saw == before else {
                throw Refusal(why: "event \(write.sequence) saw \(write.saw), not \(before)")
            }
            sequences.insert(write.sequence)
            writes[write.key, default: []].append((write.sequence, write.wrote))
        }
    }

    private func checkTimes(of calls: [RecordedCall]) throws {
        var steps: [(time: Int, call: Int, isReturn: Bool)] = []
        for (index, call) in calls.enumerated() {
            steps.append((call.begun, index, false))
            steps.append((call.returned, index, true))
        }
        steps.sort { $0.time < $1.time }
        var latest: UInt64 = 0
        var positions = [UInt64](repeating: 0, count: calls.count)
        for step in steps {
            guard !step.isReturn else {
                latest = max(latest, positions[step.call])
                continue
            }
            let range = try range(of: calls[step.call])
            guard latest <= range.upperBound else {
                throw Refusal(
                    why: "\(calls[step.call]) began after position \(latest), but is before it")
            }
            positions[step.call] = max(latest, range.lowerBound)
        }
    }

    private func range(of call: RecordedCall) throws -> ClosedRange<UInt64> {
        switch call.action {
        case .write(_, _, let sequence): return 2 * sequence...2 * sequence
        case .readSnapshot(let saw, let sequence):
            let value = writes[call.key]?.last { $0.sequence <= sequence }?.value ?? 0
            guard sequences.contains(sequence), saw == value else {
                throw Refusal(why: "\(call) saw \(saw) where \(value) was written")
            }
            return 2 * sequence + 1...2 * sequence + 1
        case .read(let saw):
            let list = writes[call.key] ?? []
            guard saw != 0 else { return 0...(list.first.map { 2 * $0.sequence - 1 } ?? .max) }
            guard let index = list.firstIndex(where: { $0.value == saw }) else {
                throw Refusal(why: "\(call) saw a value that was never written")
            }
            let next = list.indices.contains(index + 1) ? 2 * list[index + 1].sequence - 1 : .max
            return 2 * list[index].sequence + 1...next
        }
    }
}
