/// One command of the tool.
protocol Command: SendableMetatype {
    static var name: String { get }
    /// What it does, in one line.
    static var summary: String { get }
    /// Its arguments, in one line.
    static var usage: String { get }
    /// An explanation of each option, and examples.
    static var details: String { get }
    /// The names of options that take a value.
    static var options: Set<String> { get }
    /// The names of those of them that may be given more than once.
    static var repeatable: Set<String> { get }
    /// The names of options without a value, besides `--json`.
    static var flags: Set<String> { get }
    /// Whether the store is one that is read: then the copy of one on a server is updated first.
    static var readsStore: Bool { get }
    /// Whether it creates a store that does not exist.
    static var createsStore: Bool { get }

    /// - Throws: `UsageError` if the arguments are wrong.
    init(_ arguments: Arguments) throws

    /// - Returns: false for exit code 1: the store is damaged, or the record does not exist.
    func run(_ output: Output) throws -> Bool
}

extension Command {
    static var options: Set<String> { [] }
    static var repeatable: Set<String> { [] }
    static var flags: Set<String> { [] }
    static var readsStore: Bool { true }
    static var createsStore: Bool { false }
}

/// Wrong arguments on the command line.
struct UsageError: Error {
    let message: String
    /// Trusted text that follows the message.
    let help: String

    init(_ message: String, help: String = "") {
        self.message = message
        self.help = help
    }
}
