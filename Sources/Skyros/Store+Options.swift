public import Dispatch

extension Store {
    /// How a store behaves. Every setting has a default that suits an app.
    public struct Options: Sendable {
        /// What a write that does not say otherwise waits for. Default: `.buffered`.
        public var durability: Durability = .buffered

        /// Buffered events are synced after this many milliseconds at the latest. Shorter:
        /// less is lost on power loss. Longer: fewer syncs. Default: 100.
        public var syncIntervalMilliseconds = 100

        /// A checkpoint is written when opening the store would otherwise take longer than this,
        /// by estimate. Smaller: faster opening, more writing in the background. Default: 250.
        public var openingTargetMilliseconds = 250

        /// The queue on which completions and the error handler are called. It must be serial.
        /// Default: one of the store's own.
        public var callbackQueue = DispatchQueue(label: "skyros.callbacks")

        /// Called with errors that no caller receives: of the background sync, of a checkpoint.
        /// Default: none; the next write or `close` throws what matters.
        public var onError: (@Sendable (StoreError) -> Void)?

        /// Whether to open a store with records of entities that the schema does not name. They
        /// are kept as they are. If false, that is an error: a type may have been renamed.
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
