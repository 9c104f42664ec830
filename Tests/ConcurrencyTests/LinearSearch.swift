/// Checks whether a short history is linearizable, by trying all orders that its times allow.
///
/// It ignores the sequences of the writes, unless it is asked to respect them. Exponential in the
/// number of overlapping calls. The algorithm is that of Wing and Gong, "Testing and Verifying
/// Concurrent Objects", 1993, with memoization.
struct LinearSearch {
    private struct Position: Hashable {
        let left: UInt64
        let values: [Int: Int]
        let sequence: UInt64
    }

    private let calls: [RecordedCall]
    private let respectsSequences: Bool
    private var tried: Set<Position> = []

    static func isLinearizable(_ calls: [RecordedCall], respectingSequences: Bool) -> Bool {
        precondition(calls.count < 64)
        var search = LinearSearch(calls: calls, respectsSequences: respectingSequences)
        return search.finds(Position(left: (1 << calls.count) - 1, values: [:], sequence: 0))
    }

    private init(calls: [RecordedCall], respectsSequences: Bool) {
        self.calls = calls
        self.respectsSequences = respectsSequences
    }

    private mutating func finds(_ position: Position) -> Bool {
        if position.left == 0 { return true }
        guard tried.insert(position).inserted else { return false }
        let left = calls.indices.filter { position.left & 1 << $0 != 0 }
        let firstReturn = left.map { calls[$0].returned }.min() ?? 0
        for index in left where calls[index].begun < firstReturn {
            guard let next = advanced(position, by: calls[index], index) else { continue }
            if finds(next) { return true }
        }
        return false
    }

    /// The position of the search after this call; nil if the call cannot come next.
    private func advanced(
        _ position: Position, by call: RecordedCall, _ index: Int
    ) -> Position? {
        var values = position.values
        var sequence = position.sequence
        let value = values[call.key] ?? 0
        switch call.action {
        case .write(let saw, let wrote, let own):
            let isNext = own > sequence && own == next(in: position)
            guard saw == value, isNext || !respectsSequences else { return nil }
            values[call.key] = wrote
            sequence = own
        case .readSnapshot(let saw, let own):
            guard saw == value, !respectsSequences || own == sequence else { return nil }
        case .read(let saw):
            guard saw == value else { return nil }
        }
        return Position(left: position.left & ~(1 << index), values: values, sequence: sequence)
    }

    /// The lowest sequence of the remaining writes.
    private func next(in position: Position) -> UInt64? {
        let left = calls.indices.filter { position.left & 1 << $0 != 0 }
        return left.compactMap { index in
            if case .write(_, _, let sequence) = calls[index].action { sequence } else { nil }
        }.min()
    }
}
