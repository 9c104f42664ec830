import SkyrosDisk
import SkyrosLog

extension UndoStack {
    /// Makes all writes in `body` one step, in this task and its child tasks.
    ///
    ///     try undo.group("tidy up") {
    ///         try store.write { tx in … }
    ///         try store.write { tx in … }
    ///     }
    ///
    /// They are events of the stack's actor with one correlation: that of `Store.withMetadata` if
    /// there is one, as in a group within another; otherwise a new one.
    ///
    /// - Parameters:
    ///   - name: the reason of the events that state none, and so the step's name.
    ///   - body: makes the writes.
    public func group<R>(_ name: String? = nil, _ body: () throws -> R) rethrows -> R {
        try Store.withMetadata(
            actor: actor, reason: name, correlation: Metadata.current?.correlation ?? newGroup,
            body)
    }

    /// Makes all writes in an asynchronous body one step.
    public func group<R>(
        _ name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R {
        try await Store.withMetadata(
            actor: actor, reason: name, correlation: Metadata.current?.correlation ?? newGroup,
            isolation: isolation, body)
    }

    /// A correlation that no other group has.
    private var newGroup: String {
        let entropy = store.resources.environment.entropy
        return "group-\(entropy.next().digits(16, radix: 16))"
            + entropy.next().digits(16, radix: 16)
    }
}
