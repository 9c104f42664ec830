import Foundation
import Skyros

/// Finds the command, runs it, and returns the exit code.
enum Tool {
    /// The exit codes other than 0 for success.
    enum ExitCode {
        /// The store or the record does not exist, is damaged, or cannot be read or written.
        static let failure: Int32 = 1
        /// The arguments are wrong.
        static let usage: Int32 = 2
    }

    static let commands: [any Command.Type] = [
        InfoCommand.self, LogCommand.self, ShowCommand.self, HistoryCommand.self,
        QueryCommand.self, VerifyCommand.self, ReplayCommand.self, RebuildCommand.self,
        ExportCommand.self, SalvageCommand.self,
    ]

    static func run(_ arguments: [String]) -> Int32 {
        guard let name = arguments.first, name != "--help", name != "-h", name != "help" else {
            Output.lines(overview)
            return arguments.isEmpty ? ExitCode.usage : 0
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            Output.error("unknown command \"\(name)\"; `skyros --help` lists all commands")
            return ExitCode.usage
        }
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
            Output.lines(help(command))
            return 0
        }
        return run(command, rest)
    }

    private static func run(_ command: any Command.Type, _ rest: [String]) -> Int32 {
        do {
            let arguments = try Arguments(rest, for: command)
            return try command.init(arguments).run() ? 0 : ExitCode.failure
        } catch let error as UsageError {
            Output.error(
                error.message, help: "\nusage: skyros \(command.name) \(command.usage)\n")
            return ExitCode.usage
        } catch let error as StoreError {
            Output.error(error.description)
            return ExitCode.failure
        } catch {
            Output.error(String(describing: error))
            return ExitCode.failure
        }
    }

    private static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let list = commands.map { command in
            let padding = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(padding)  \(command.summary)"
        }
        return """
            skyros: reads a Skyros store, at any moment of its history

            usage: skyros COMMAND STORE [ARGUMENTS] [--json]

            \(list.joined(separator: "\n"))

            STORE is the directory of the store. With --json every command prints JSON, one object
            per line. A MOMENT is the number of an event or a time such as 2026-03-01T12:00:00Z.
            `skyros COMMAND --help` explains a command and gives examples.
            When a store is damaged: `verify` lists all damage, `salvage` copies the events before
            it to a new store.
            Exit codes: 0 success; 1 the store or the record is missing or damaged, or another
            error; 2 wrong arguments.
            """
    }

    private static func help(_ command: any Command.Type) -> String {
        "\(command.summary)\n\nusage: skyros \(command.name) \(command.usage)\n\n\(command.details)"
    }
}
