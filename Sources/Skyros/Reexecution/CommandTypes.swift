/// The types of commands that can be executed again, by the names under which events have them.
struct CommandTypes: Sendable {
    /// Decodes and runs a command in a write block.
    typealias Run = @Sendable (Intent, inout WriteTransaction) throws -> Void

    private var runs = NamedValues<Run>()

    /// - Throws: `StoreError` with `.invalidInput` if two types have the same name.
    init(_ types: [any Command.Type]) throws {
        for type in types {
            let name = type.commandName
            guard runs[name] == nil else {
                throw StoreError(
                    .invalidInput,
                    "two commands have the name \"\(name)\"; give each its own with static let "
                        + "commandName")
            }
            runs[name] = Self.run(of: type)
        }
    }

    /// What runs the commands with this name; nil if no type has it.
    private subscript(name: String) -> Run? { runs[name] }

    /// What runs the command of an event; nil if no type has its name, or `perform` did not make
    /// the event.
    func command(of event: Event) -> ((inout WriteTransaction) throws -> Void)? {
        guard let intent = event.intent, intent.encodedOutput != nil, let run = self[intent.name]
        else { return nil }
        return { try run(intent, &$0) }
    }

    private static func run<C: Command>(of type: C.Type) -> Run {
        { intent, transaction in
            let command: C
            do {
                command = try C.command(from: intent)
            } catch {
                throw UndecodableCommand(cause: error)
            }
            _ = try transaction.perform(command)
        }
    }
}

/// The error of a command that does not fit today's type.
struct UndecodableCommand: Error {
    let cause: any Error
}
