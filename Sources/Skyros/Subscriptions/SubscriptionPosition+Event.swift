import SkyrosLog

extension SubscriptionPosition {
    /// The position after an event, to be kept together with its effect: see
    /// ``SubscriptionPositions``.
    public init(after event: AppliedEvent, keepsHistory: Bool = true) {
        self.init(
            sequence: event.sequence, chainHash: event.stateAfter.chainHash.description,
            keepsHistory: keepsHistory)
    }
}
