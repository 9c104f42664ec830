public import Foundation

extension Store {
    /// Adds metadata to every write in `body`, in this task and its child tasks. What a write sets
    /// itself takes precedence.
    ///
    ///     try Store.withMetadata(actor: user.name, correlation: request.id) {
    ///         try handle(request)
    ///     }
    public static func withMetadata<R>(
        actor: String? = nil, reason: String? = nil, correlation: String? = nil,
        causation: String? = nil, occurredAt: Date? = nil, tags: [String: String] = [:],
        _ body: () throws -> R
    ) rethrows -> R {
        let metadata = Metadata(
            actor: actor, reason: reason, correlation: correlation, causation: causation,
            occurredAt: occurredAt, tags: tags)
        let completed = metadata.completed(by: Metadata.current)
        return try Metadata.$current.withValue(completed, operation: body)
    }

    /// Adds metadata to all writes of an asynchronous body.
    ///
    ///     try await Store.withMetadata(actor: user.name) {
    ///         try await handle(request)
    ///     }
    public static func withMetadata<R>(
        actor: String? = nil, reason: String? = nil, correlation: String? = nil,
        causation: String? = nil, occurredAt: Date? = nil, tags: [String: String] = [:],
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
    ) async rethrows -> R {
        let metadata = Metadata(
            actor: actor, reason: reason, correlation: correlation, causation: causation,
            occurredAt: occurredAt, tags: tags)
        let completed = metadata.completed(by: Metadata.current)
        return try await Metadata.$current.withValue(completed, operation: body)
    }
}
