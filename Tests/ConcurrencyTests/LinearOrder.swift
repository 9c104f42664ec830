/// Whether a history is linearizable, if its writes happened in the order of their sequences.
///
/// The sequence orders the writes, so that each call has a range of places where it can stand:
/// write n at place 2n, what saw its value from 2n + 1 to just before the next write of the key. A
/// call that returned before another one began must not stand behind it, and to put each as far to
/// the front as it can stand is enough to know. O(n log n), for sorting.
///
/// The property is that of Herlihy and Wing, "Linearizability: A Correctness Condition for
/// Concurrent Objects", 1990.
struct LinearOrder {
    private struct Refusal: Error {
        let why: String
    }

    /// What is wrong with the history; nil if nothing is.
    static func problem(with calls: [RecordedCall]) -> String? {
        do {
            try LinearOrder(calls).checkTimes(of: calls)
            return nil
        } catch {
            return (error as? Refusal)?.why ?? "\(error)"
        }
    }

    /// The writes of each key, in their order.
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
        var moments: [(time: Int, call: Int, isReturn: Bool)] = []
        for (index, call) in calls.enumerated() {
            moments.append((call.begun, index, false))
            moments.append((call.returned, index, true))
        }
        moments.sort { $0.time < $1.time }
        var latest: UInt64 = 0
        var places = [UInt64](repeating: 0, count: calls.count)
        for moment in moments {
            guard !moment.isReturn else {
                latest = max(latest, places[moment.call])
                continue
            }
            let range = try range(of: calls[moment.call])
            guard latest <= range.upperBound else {
                throw Refusal(
                    why: "\(calls[moment.call]) began after place \(latest) and stands before it")
            }
            places[moment.call] = max(latest, range.lowerBound)
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
                throw Refusal(why: "\(call) saw what nobody wrote")
            }
            let next = list.indices.contains(index + 1) ? 2 * list[index + 1].sequence - 1 : .max
            return 2 * list[index].sequence + 1...next
        }
    }
}
