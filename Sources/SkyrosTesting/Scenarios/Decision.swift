public import Skyros

/// What a command did in a ``Scenario``, to be compared with what it should do.
public struct Decision<C: Command> {
    /// The command.
    public let command: C
    /// What it returned, or what it threw.
    public let outcome: Result<C.Output, any Error>
    /// The state before it.
    public let stateBefore: Snapshot
    /// The state after it.
    public let stateAfter: Snapshot
    /// Its event; nil if it threw, or was performed before under its idempotency key.
    public let event: Event?
    private let scenario: Scenario

    init(
        of command: C, _ outcome: Result<C.Output, any Error>, in scenario: Scenario,
        from stateBefore: Snapshot, to stateAfter: Snapshot, _ event: Event?
    ) {
        self.command = command
        self.outcome = outcome
        self.scenario = scenario
        self.stateBefore = stateBefore
        self.stateAfter = stateAfter
        self.event = event
    }

    // MARK: Then

    /// Checks that the command was accepted, whatever it has done.
    @discardableResult
    public func thenIsAccepted() throws -> Self {
        if case .failure(let error) = outcome {
            throw failure("is refused", details: ": \(error)")
        }
        return self
    }

    /// Checks that the command returned a value.
    @discardableResult
    public func then(returns expected: C.Output) throws -> Self where C.Output: Equatable {
        try thenIsAccepted()
        let output = try outcome.get()
        guard output != expected else { return self }
        throw failure("returns \(output)", details: ", not \(expected)")
    }

    /// Checks a condition on the state after the command, which must not have thrown.
    ///
    /// - Parameters:
    ///   - what: describes the condition in the message of a failure.
    ///   - holds: gets the state.
    @discardableResult
    public func then(
        _ what: String, _ holds: (Snapshot) throws -> Bool
    ) throws -> Self {
        try thenIsAccepted()
        guard try !holds(stateAfter) else { return self }
        throw failure("is accepted", details: ", and \"\(what)\" does not hold\n\(changesText)")
    }

    /// Checks which records the command changed, by their entities and ids in the order of the
    /// event's changes.
    ///
    ///     .thenChanges((Account.self, 1), (Account.self, 2))
    @discardableResult
    public func thenChanges<each E: Entity>(
        _ records: repeat ((each E).Type, (each E).ID)
    ) throws -> Self {
        try thenIsAccepted()
        var expected: [String] = []
        for (type, id) in repeat each records {
            expected.append("\(type.entityName) \(try RecordID(encoding: id))")
        }
        let found = (event?.changes ?? []).map { change in
            "\(change.entity) \(change.id?.description ?? "(all)")"
        }
        guard found != expected else { return self }
        throw failure(
            "changes \(found.isEmpty ? "nothing" : found.joined(separator: ", "))",
            details: ", not \(expected.joined(separator: ", "))")
    }

    /// Checks that the command was accepted and has changed no record.
    @discardableResult
    public func thenNothingHappens() throws -> Self {
        try thenIsAccepted()
        guard event?.changes.isEmpty == false else { return self }
        throw failure("is accepted", details: ", and changes records\n\(changesText)")
    }

    /// Checks that the command threw this error. Then nothing has changed, and there is no event.
    @discardableResult
    public func thenIsRefused<E: Error & Equatable>(with expected: E) throws -> Self {
        try thenIsRefused { error in
            guard (error as? E) != expected else { return }
            throw failure("is refused", details: " with \(error), not with \(expected)")
        }
    }

    /// Checks that the command threw an error, and what the error is.
    ///
    /// - Parameter check: throws if it is another one.
    @discardableResult
    public func thenIsRefused(
        _ check: (any Error) throws -> Void = { _ in }
    ) throws -> Self {
        guard case .failure(let error) = outcome else {
            throw failure("is accepted", details: ", and should be refused\n\(changesText)")
        }
        try check(error)
        guard stateAfter.sequence == stateBefore.sequence else {
            throw failure("is refused", details: ", and has left an event")
        }
        return self
    }

    private var changesText: String {
        (event?.changes ?? []).map { "  \($0)" }.joined(separator: "\n")
    }

    private func failure(_ verb: String, details: String) -> ScenarioFailure {
        ScenarioFailure("\(command) \(verb)\(details)")
    }

    // MARK: Going on

    /// Performs the next command of the scenario.
    @discardableResult
    public func when<D: Command>(
        _ command: D, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata()
    ) throws -> Decision<D> {
        try scenario.when(command, by: actor, because: reason, metadata: metadata)
    }

    /// Performs commands before the next one.
    @discardableResult
    public func given(_ commands: any Command...) throws -> Scenario {
        try scenario.given(commands)
    }

    /// Lets time pass before the next command.
    @discardableResult
    public func after(_ duration: Duration) -> Scenario { scenario.after(duration) }
}
