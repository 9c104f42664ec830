import SkyrosLog

/// Takes back what was noted of events before other machines have acknowledged them, if these are
/// lost with the turn to write.
///
/// Write blocks need the idempotency keys and the projections of events that are not acknowledged
/// yet. The calling thread of each function holds the writer lock.
struct LostEvents: Sendable {
    let shared: any SharedLog
    let publication: Publication
    let view: MainView
    let keys: IdempotencyKeys
    let projections: ProjectionSet?

    /// Waits until no event is on its way, so that keys and projections are those of the view.
    func settle() {
        shared.settle()
        takeBack()
    }

    /// Takes back what was noted of events that are known to be lost. Other events may have got
    /// their numbers, but must not be in the view yet.
    func takeBack() {
        guard publication.takeLoss() else { return }
        let state = view.current
        keys.forget(after: state.sequence)
        projections?.begin(state, at: state.sequence)
    }
}
