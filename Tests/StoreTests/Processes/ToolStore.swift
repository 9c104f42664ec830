import Foundation
import Skyros
import TestSupport

/// A store of its own for one test, and the tool to look into it.
struct ToolStore {
    let directory: TemporaryDirectory
    private let tool: Program

    /// Fills the store by `body`.
    init(_ entities: [any Entity.Type], _ body: (Store) throws -> Void) throws {
        directory = try TemporaryDirectory()
        tool = try Program("skyros")
        let store = try Store(at: directory.store, entities: entities)
        try body(store)
        try store.close()
    }

    /// Runs a command on the store.
    func run(_ command: String, _ arguments: String...) throws -> Program.Outcome {
        try tool.run([command, directory.store.path] + arguments)
    }

    /// A command on the store, to be run by the caller.
    func process(_ command: String, _ arguments: [String]) -> Process {
        tool.process([command, directory.store.path] + arguments)
    }

    /// A path in the test's directory.
    func path(_ name: String) -> String { directory.url.appending(path: name).path }
}
