/// Tells the background threads and the streams of a session of an event that has become visible.
struct EventAnnouncement: Sendable {
    let liveHub: LiveHub
    let maintenance: BackgroundMaintenance
    let signal: EventSignal
    let rebuilder: ProjectionRebuilder?

    /// - Parameter state: the state after the event.
    func announce(
        _ changes: [StagedChange], of sequence: SequenceNumber, byteCount: Int,
        in state: @autoclosure () -> Snapshot
    ) {
        let affected = liveHub.note(changes, of: sequence)
        maintenance.noteAppended(changeCount: changes.count, byteCount: byteCount)
        signal.raise(sequence)
        noteProjections(of: state())
        LiveHub.wake(affected, for: sequence)
    }

    /// Wakes those that wait for projections.
    func noteProjections(of snapshot: @autoclosure () -> Snapshot) {
        guard let rebuilder, let values = snapshot().projections else { return }
        rebuilder.signal.raise(values.revision)
    }
}
