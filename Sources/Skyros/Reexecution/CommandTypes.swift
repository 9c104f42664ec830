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
    subscript(name: String) -> Run? { runs[name] }

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
