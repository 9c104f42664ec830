public import Dispatch

extension Store {
    /// How a store behaves. Every setting has a default that suits an app.
    public struct Options: Sendable {
        /// The durability of a write that does not ask for another. Default: `.buffered`.
        public var durability: Durability = .buffered

        /// How long a buffered event waits for its sync at most. Shorter: less is lost on power
        /// loss. Longer: fewer syncs. In whole milliseconds. Default: 100 ms.
        public var syncInterval: Duration = .milliseconds(100)

        /// The store writes a checkpoint when opening it would otherwise take longer than this,
        /// by estimate. Shorter: faster opening, more writing in the background. Default: 250 ms.
        public var openingTarget: Duration = .milliseconds(250)

        /// The queue on which completions and the error handler are called. It must be serial.
        /// Default: one of the store's own.
        public var callbackQueue = DispatchQueue(label: "skyros.callbacks")

        /// Called with errors that no caller receives: a `StoreError` of the background sync or
        /// of a checkpoint, and what a block throws that was queued without a completion.
        /// Default: none; the next write or `close` throws what matters.
        public var onError: (@Sendable (any Error) -> Void)?

        /// Whether to open a store that holds records of entities without a given type. They are
        /// kept as they are. If false, opening throws: a type may have been renamed.
        /// Default: false.
        public var keepsUnknownEntities = false

        /// The size at which a segment of the log is closed and compressed, in bytes.
        /// Default: 16 MiB.
        public var segmentBytesMax = 16 << 20

        /// The largest event, in bytes; a write block that leads to a larger one is refused.
        /// Default: 64 MiB; more than 1 GiB counts as 1 GiB.
        public var eventBytesMax = 64 << 20

        /// Options with all defaults.
        public init() {}
    }
}
