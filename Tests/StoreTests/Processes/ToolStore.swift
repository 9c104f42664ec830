import Foundation
import Skyros
import TestSupport

/// A store for one test, and the command-line tool to read it.
struct ToolStore {
    let directory: TemporaryDirectory
    private let tool: Program

    /// Creates the store and fills it with `body`.
    init(
        _ entities: [any Entity.Type], options: Store.Options = Store.Options(),
        _ body: (Store) throws -> Void
    ) throws {
        directory = try TemporaryDirectory()
        tool = try Program("skyros")
        let store = try Store(at: directory.store, entities: entities, options: options)
        try body(store)
        try store.close()
    }

    /// Runs a command on the store.
    func run(_ command: String, _ arguments: String...) throws -> Program.Outcome {
        try tool.run([command, directory.store.path] + arguments)
    }

    /// A process for a command on the store; the caller starts it.
    func process(_ command: String, _ arguments: [String]) -> Process {
        tool.process([command, directory.store.path] + arguments)
    }

    /// A path in the test's directory.
    func path(_ name: String) -> String { directory.url.appending(path: name).path }
}
