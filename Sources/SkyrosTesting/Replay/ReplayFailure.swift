public import Skyros

/// The failure of a replay: the events that failed a check.
///
///     } catch let failure as ReplayFailure {
///         let before = try failure.event?.stateBefore
///
public struct ReplayFailure: Error, CustomStringConvertible {
    /// What failed: checks of events in their order, then commands that do something else today,
    /// then what was expected of the last state. Never empty.
    public let violations: [Violation]
    /// Whether the replay reached its last event, so that there are no further violations.
    public let isComplete: Bool

    init(_ violations: [Violation], isComplete: Bool) {
        self.violations = violations
        self.isComplete = isComplete
    }

    /// A description of the first problem.
    public var problem: String { violations[0].problem }

    /// The event with which it began; nil if no event is known to have caused it, such as that
    /// of a wrong digest.
    public var event: AppliedEvent? { violations[0].event }

    /// The problems, each with its event: number, time, actor, reason, correlation, tags, and the
    /// records before and after.
    public var description: String {
        let texts = violations.map(\.description).joined(separator: "\n\n")
        guard violations.count > 1 else { return texts }
        let rest =
            isComplete || violations.last?.event == nil
            ? "" : ", and the replay ended with the last of them"
        return "\(violations.count) violations\(rest):\n\n\(texts)"
    }
}

extension ReplayFailure {
    /// One check that failed after one event.
    public struct Violation: Sendable, CustomStringConvertible {
        /// A description of the problem.
        public let problem: String
        /// The event, with the records that it changed and the states before and after it; nil if
        /// no event is known to have caused it, such as that of a wrong digest.
        public let event: AppliedEvent?

        init(problem: String, event: AppliedEvent?) {
            self.problem = problem
            self.event = event
        }

        init(wrongDigest found: String, expected: String, at last: SequenceNumber) {
            problem =
                "the digest after the last event, \(last), is \(found), not \(expected); it is "
                + "compared at the end only, so any event may be the cause"
            event = nil
        }

        /// The problem, then the event.
        public var description: String {
            guard let event else { return problem }
            let reason = event.metadata.reason.map { ", \"\($0)\"" } ?? ""
            let details = event.metadata.details.map { ", \($0)" }.joined()
            let head =
                "after event \(event.sequence) of \(event.time) by "
                + "\(event.metadata.actor ?? "-")\(reason)\(details):"
            let shown = event.changes.prefix(Self.changesMax)
            let before = try? event.stateBefore
            var lines = shown.flatMap { Self.lines($0, from: before, to: event.stateAfter) }
            if event.changes.count > shown.count {
                lines.append("  and \(event.changes.count - shown.count) further changes")
            }
            return ([problem, head] + lines).joined(separator: "\n")
        }

        /// The number of changes that a description shows.
        private static let changesMax = 20

        /// The change; of an update also the whole record, before and after.
        private static func lines(
            _ change: Change, from before: Snapshot?, to after: Snapshot
        ) -> [String] {
            guard case .updated(let entity, let id, _, _) = change,
                let old = try? before?.record(entity, id), let new = try? after.record(entity, id)
            else { return ["  \(change)"] }
            return [
                "  \(change)", "    before: \(old.fields)", "    after:  \(new.fields)",
            ]
        }
    }
}
