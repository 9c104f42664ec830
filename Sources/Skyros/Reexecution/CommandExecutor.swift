/// Executes recorded commands again, each on a state of the past. Of one thread at a time.
///
/// Nothing is written: what a command stages is compared and dropped.
struct CommandExecutor {
    private let writer: Writer
    private let types: CommandTypes

    /// - Parameter empty: a state without records.
    init(_ types: CommandTypes, empty: Snapshot) {
        self.types = types
        writer = Writer(empty: empty, .system)
    }

    /// What a command does.
    enum Outcome {
        case done(Execution)
        case failed(any Error)
    }

    struct Execution {
        let changes: [StagedChange]
        let output: [UInt8]?
    }

    /// Executes the command of an event on a state, with the time and the ids that it got.
    ///
    /// - Parameter state: the one before the event, or another one.
    /// - Returns: nil if no type has the command's name, or the event is not that of a command.
    func execute(_ event: Event, on state: Snapshot) -> Outcome? {
        guard let command = types.command(of: event) else { return nil }
        var batch = CommandBatch(metadata: Metadata(), intent: event.intent)
        do {
            try writer.stage(on: state, with: BlockInputs(of: event), into: &batch, command)
        } catch {
            return .failed((error as? UndecodableCommand)?.cause ?? error)
        }
        return .done(Execution(changes: batch.changes, output: batch.intent?.encodedOutput))
    }
}

extension CommandExecutor.Outcome {
    /// Whether the command did the same, or failed with the same words.
    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.done(let execution), .done(let other)): execution.isSame(as: other)
        case (.failed(let error), .failed(let other)):
            String(describing: error) == String(describing: other)
        default: false
        }
    }
}

extension CommandExecutor.Execution {
    fileprivate func isSame(as other: Self) -> Bool {
        output == other.output && changes.count == other.changes.count
            && zip(changes, other.changes).allSatisfy { $0.change == $1.change }
    }

    /// Whether the changes and the result are those of an event, in the same order.
    func isSame(as event: Event) -> Bool {
        guard output == event.intent?.encodedOutput, changes.count == event.changes.count else {
            return false
        }
        return changes.indices.allSatisfy { index in
            changes[index].change == event.changes[index]
                && changes[index].versioned.version == event.version(ofChange: index)
        }
    }
}
