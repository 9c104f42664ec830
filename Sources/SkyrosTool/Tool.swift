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
        BlameCommand.self, DiffCommand.self, QueryCommand.self, SQLCommand.self,
        StatsCommand.self, VerifyCommand.self, ReplayCommand.self, BisectCommand.self,
        WhatIfCommand.self, RebuildCommand.self, IndexCommand.self, ExportCommand.self,
        FixtureCommand.self, DistillCommand.self, ImportCommand.self, UndoCommand.self,
        PruneCommand.self, BackupCommand.self, SalvageCommand.self, SchemaCommand.self,
        ReportCommand.self, CopyCommand.self,
    ]

    static func run(_ arguments: [String]) -> Int32 {
        let output = Output()
        do {
            let code = try run(arguments, output)
            try output.flush()
            return code
        } catch let error as UsageError {
            ErrorOutput.error(error.message, help: error.help)
            return ExitCode.usage
        } catch {
            // What was found before the error; the first error counts.
            try? output.flush()
            ErrorOutput.error((error as? StoreError)?.description ?? String(describing: error))
            return ExitCode.failure
        }
    }

    private static func run(_ arguments: [String], _ output: Output) throws -> Int32 {
        guard let name = arguments.first, !["--help", "-h", "help"].contains(name) else {
            return try explain(arguments, output)
        }
        if name == "--version" {
            try output.lines(Version.text)
            return 0
        }
        let command = try command(named: name)
        let rest = Array(arguments.dropFirst())
        let words = rest.prefix { $0 != "--" }
        if words.contains("--help") || words.contains("-h") {
            try output.lines(help(command))
            return 0
        }
        do {
            var arguments = try Arguments(rest, for: command)
            if command.readsStore {
                let isFollowed = arguments.has("follow") || command is SQLCommand.Type
                try arguments.joinServer(
                    isFollowed: isFollowed, mayBeMissing: command.createsStore)
            }
            return try command.init(arguments).run(output) ? 0 : ExitCode.failure
        } catch let error as UsageError {
            throw UsageError(
                error.message, help: "\nusage: skyros \(command.name) \(command.usage)\n")
        }
    }

    private static func explain(_ arguments: [String], _ output: Output) throws -> Int32 {
        guard arguments.count > 1 else {
            try output.lines(overview)
            return arguments.isEmpty ? ExitCode.usage : 0
        }
        try output.lines(help(command(named: arguments[1])))
        return 0
    }

    private static func command(named name: String) throws -> any Command.Type {
        if let command = commands.first(where: { $0.name == name }) { return command }
        throw UsageError("unknown command \"\(name)\"; `skyros --help` lists all commands")
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

            STORE is the directory of the store, or postgresql://… if its log is on a server: then
            a copy in the user's caches is brought up to date, and read. With --json every command
            prints JSON, one object per line. A MOMENT is the number of an event or a time such as
            2026-03-01T12:00:00Z.
            `skyros help COMMAND` explains a command and gives examples; `skyros --version` names
            the version and the formats.
            `backup` copies a store while it is written, again and again. `import` and `undo` write
            into one.
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
