import SkyrosLog

/// What a verification found.
public struct Verification: Hashable, Sendable {
    /// Whether everything is as it must be.
    public var ok: Bool { problems.isEmpty }
    /// The last event that could be reached.
    public internal(set) var sequence: SequenceNumber = .zero
    /// The digest of the state at that event.
    public internal(set) var digest: StateDigest?
    /// What is wrong, in words, each with its place.
    public internal(set) var problems: [String] = []

    init() {}

    /// The finding of a log that cannot be opened.
    public init(problem: StoreError) {
        problems = [problem.description]
    }
}

extension Archive {
    /// Reads everything and checks it: every checksum, the order of the sequences and times, that
    /// each event fits the state before it, and that the checkpoint is the fold of the log.
    ///
    /// - Parameter progress: called now and then with the last event checked.
    /// - Complexity: O(size of the store).
    public func verify(progress: (SequenceNumber) -> Void = { _ in }) -> Verification {
        var result = Verification()
        let checkpoint = checkpointState(&result)
        do {
            var lastTime = EventTime.zero
            var state = empty
            try replay { event, snapshot in
                if event.time <= lastTime {
                    result.problems.append(
                        "event \(event.sequence) is not later than the one before")
                }
                lastTime = event.time
                if event.sequence == checkpoint?.sequence {
                    try compare(checkpoint, with: snapshot, &result)
                }
                result.sequence = event.sequence
                if event.sequence == sequence { state = snapshot }
                progress(event.sequence)
                return true
            }
            result.digest = try state.digest()
        } catch {
            result.problems.append(String(describing: StoreError.wrapping(error)))
        }
        return result
    }

    /// The state that the checkpoint holds, if there is one.
    private func checkpointState(_ result: inout Verification) -> Snapshot? {
        do {
            guard let checkpoint = try checkpoint(), let position = try checkpoint.position()
            else { return nil }
            if position.storeID != follower.storeID.bytes {
                result.problems.append("the checkpoint belongs to another store")
                return nil
            }
            if position.sequence > sequence.rawValue {
                result.problems.append(
                    "the checkpoint holds event \(position.sequence), the log ends at \(sequence)")
                return nil
            }
            return try checkpoint.load(into: empty)
        } catch {
            result.problems.append(String(describing: StoreError.wrapping(error)))
            return nil
        }
    }

    private func compare(
        _ checkpoint: Snapshot?, with fold: Snapshot, _ result: inout Verification
    ) throws {
        guard let checkpoint else { return }
        if checkpoint.check != fold.check {
            result.problems.append(
                "the checkpoint and the log tell different histories up to event \(fold.sequence)")
        } else if try checkpoint.digest() != fold.digest() {
            result.problems.append(
                "the checkpoint is not the fold of the log up to event \(fold.sequence)")
        }
    }
}
