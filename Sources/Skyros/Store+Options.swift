public import Dispatch

extension Store {
    /// How a store behaves. Every setting has a default that suits an app.
    public struct Options: Sendable {
        /// The durability of a write that does not ask for another. Default: `.buffered`.
        public var durability: Durability = .buffered

        /// The longest time from a buffered event to the start of its sync. Shorter: less is lost
        /// on power loss. Longer: fewer syncs. In whole milliseconds. Default: 100 ms.
        public var syncInterval: Duration = .milliseconds(100)

        /// The estimated time to fold the events after the checkpoint at which a new one is
        /// written. Loading it comes on top. Shorter: more is written. Default: 250 ms.
        public var openingTarget: Duration = .milliseconds(250)

        /// The queue on which completions and the error handler are called. It must be serial.
        /// Default: a new queue.
        public var callbackQueue = DispatchQueue(label: "skyros.callbacks")

        /// Called with errors that no caller receives: a `StoreError` of a background sync or a
        /// checkpoint, and the error of a block that was queued without a completion.
        /// Default: none; the next write or `close` throws what matters.
        public var onError: (@Sendable (any Error) -> Void)?

        /// Whether to open a store with records of entities for which no type was given. The
        /// records are kept. If false, opening throws: a type may have been renamed.
        /// Default: false.
        public var keepsUnknownEntities = false

        /// The size at which a segment of the log ends and is compressed, in bytes.
        /// Default: 16 MiB.
        public var segmentBytesMax = 16 << 20

        /// The size of the largest event, in bytes; a write block that makes a larger one throws.
        /// Default: 64 MiB; values above 1 GiB count as 1 GiB.
        public var eventBytesMax = 64 << 20

        /// Options with all defaults.
        public init() {}
    }
}
