import SkyrosDisk
import SkyrosLog

// What a node learns of events that it or another one has written.

extension StoreNode {
    /// The shortest time between two announcements, in milliseconds: each lets every other node
    /// ask for events.
    private static let announcementInterval = 1

    /// Learns what this node writes in a session.
    func observe(_ session: StoreSession) {
        session.engine.shared?.observe { [weak self] in self?.note($0) }
    }

    private func note(_ outcome: Result<LogPosition, LogError>) {
        let isAwaited = progress.withLock { progress in
            switch outcome {
            case .success(let position): progress.acknowledged = position.head
            case .failure:
                progress.hasLostTurn = true
                progress.givenUp = progress.ownTurn ?? progress.givenUp
            }
            defer { progress.isWaiting = false }
            return progress.isWaiting
        }
        if isAwaited { server.wake() }
    }

    /// What the quorum has is shown without waiting for an announcement.
    func note(latest head: LogHead) {
        progress.withLock { $0.latest = head }
        server.wake()
    }

    /// Waits until there is something to check; returns the last event of which this node has
    /// learned that the quorum has it.
    func nextNews() throws -> LogHead? {
        let announced = try waitForNews()
        let latest = progress.withLock { progress in
            defer { progress.latest = nil }
            return progress.latest
        }
        return [announced, latest].compactMap(\.self).max { $0.sequence < $1.sequence }
    }

    /// As the node that writes, announces its events meanwhile, and compresses what is due.
    private func waitForNews() throws -> LogHead? {
        let shared = session.withLock { $0 }.engine.shared
        guard let shared, shared.isWriter else {
            if progress.withLock({ $0.hasLostTurn }) { return nil }
            // What has changed during a check may not be over yet.
            return try server.waitForNews(
                atMost: max(1, nextCheck.withLock { $0 }.millisecondsLeft))
        }
        var isSealing = true
        while !nextCheck.withLock({ $0.hasPassed }) {
            // One frame at a time, so that the other nodes need not wait for all.
            isSealing = try isSealing && shared.seal(with: server)
            switch nextStep() {
            case .check: return nil
            case .announce(let head):
                try server.announce(head)
                progress.withLock { $0.announced = head }
                if isSealing { continue }
                _ = progress.wait(atMost: Self.announcementInterval) { _ -> Void? in nil }
            case .wait:
                if isSealing { continue }
                try server.wait(atMost: nextCheck.withLock { $0 }.millisecondsLeft)
            }
        }
        return nil
    }

    private enum Step {
        case announce(LogHead), wait, check
    }

    /// What the node that writes does next.
    private func nextStep() -> Step {
        progress.withLock { progress in
            guard progress.phase == .running, !progress.hasLostTurn else { return .check }
            if let head = progress.acknowledged, head != progress.announced {
                return .announce(head)
            }
            progress.isWaiting = true
            return .wait
        }
    }
}
