extension Store {
    /// The events from `first` on, then each new one as it is written.
    ///
    /// Calling it costs nothing; each iteration over the stream reads the log by itself.
    ///
    /// - Parameter first: the first event wanted; nil for those written from now on.
    public func events(from first: SequenceNumber? = nil) -> EventStream {
        EventStream(
            log: log.engine, signal: signal, first: max(first ?? sequence.next, .zero.next))
    }
}
