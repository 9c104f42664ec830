import Foundation
import Skyros

/// The parsed arguments of a command.
struct Arguments {
    /// The store's directory, or that of the copy of a log on a server.
    private(set) var store: URL
    /// The server of the log; nil if it is in files.
    let server: ServerArgument?
    /// The positional arguments after the store.
    let rest: [String]
    private let values: [String: [String]]
    private let flags: Set<String>

    /// - Throws: `UsageError` for an unknown option, or one with a missing or extra value.
    init(_ words: [String], for command: any Command.Type) throws {
        var positional: [String] = []
        var values: [String: [String]] = [:]
        var flags: Set<String> = []
        var remaining = words[...]
        while let word = remaining.popFirst() {
            if word == "--" {
                positional += remaining
                break
            }
            guard word.hasPrefix("--") else {
                positional.append(word)
                continue
            }
            let (name, inline) = Self.split(word)
            if name == "json" || command.flags.contains(name) {
                guard inline == nil else { throw UsageError("--\(name) takes no value") }
                flags.insert(name)
            } else if command.options.contains(name) {
                guard let value = inline ?? remaining.popFirst() else {
                    throw UsageError("--\(name) needs a value")
                }
                guard values[name] == nil || command.repeatable.contains(name) else {
                    throw UsageError("--\(name) is given twice")
                }
                values[name, default: []].append(value)
            } else {
                throw UsageError("unknown option --\(name)")
            }
        }
        guard let store = positional.first, !store.isEmpty else {
            throw UsageError("the directory of the store is missing")
        }
        guard !(positional + values.values.joined()).contains(where: { $0.contains("\0") }) else {
            throw UsageError("an argument contains a NUL character")
        }
        self.store = URL(filePath: store)
        server = ServerArgument(store)
        rest = Array(positional.dropFirst())
        self.values = values
        self.flags = flags
    }

    /// Brings the copy of a log on a server up to date; afterwards its directory is `store`.
    ///
    /// - Parameters:
    ///   - isFollowed: whether what the server gets later is copied, too, until the end of the
    ///     process.
    ///   - mayBeMissing: whether there need be no store on the server.
    mutating func joinServer(isFollowed: Bool, mayBeMissing: Bool) throws {
        guard let server else { return }
        let place = try server.place(.reader)
        store = place.cache
        let update: CacheUpdate
        do {
            update = try CacheUpdate(place)
        } catch let error as StoreError where error.code == .notAStore && mayBeMissing {
            return
        }
        guard isFollowed else { return }
        Thread.detachNewThread {
            var last = ""
            while true {
                do {
                    try update.follow(atMost: 1_000)
                } catch {
                    let text = "\(error)"
                    if text != last { ErrorOutput.error(text) }
                    last = text
                }
            }
        }
    }

    /// Opens the store for writing, wherever its log is.
    func writableStore(_ options: Store.Options) throws -> Store {
        guard let server else { return try Store(untypedAt: store, options: options) }
        return try Store(untypedAt: server.place(.writer), options: options)
    }

    /// The store as a word of a shell, without a password.
    var storeWord: String {
        server.map { ShellCommand.quoted($0.word) } ?? ShellCommand.quoted(store)
    }

    /// The store as people call it.
    var storeName: String { server?.name ?? store.lastPathComponent }

    /// Splits `--name=value`.
    private static func split(_ word: String) -> (String, String?) {
        let parts = word.unicodeScalars.dropFirst(2)
            .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    /// - Throws: `UsageError` if there are positional arguments after the store.
    func requireOnlyStore() throws {
        guard let extra = rest.first else { return }
        throw UsageError("the command takes no argument \"\(extra)\" after the store")
    }

    var isJSON: Bool { flags.contains("json") }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    func text(_ name: String) -> String? { values[name]?.first }

    /// All values of an option that may be repeated.
    func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// The items, separated by commas, of all values of an option that may be repeated.
    func lists(_ name: String) -> [String] {
        texts(name).flatMap { list in
            list.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false)
                .map { String($0) }
        }
    }

    func sequence(_ name: String) throws -> SequenceNumber? {
        try number(name, "the number of an event").map { SequenceNumber(rawValue: $0) }
    }

    /// The range of events between the option `name` and `--to`.
    func bounds(_ name: String) throws -> (first: SequenceNumber?, last: SequenceNumber?) {
        let (first, last) = (try sequence(name), try sequence("to"))
        if let first, let last, first > last {
            throw UsageError("--\(name) \(first) is later than --to \(last)")
        }
        return (first, last)
    }

    /// Parses a number without sign.
    func number(_ name: String, _ what: String) throws -> UInt64? {
        guard let text = text(name) else { return nil }
        guard let number = UInt64(digits: text) else {
            throw UsageError("--\(name) takes \(what), not \"\(text)\"")
        }
        return number
    }

    /// Parses a time.
    func time(_ name: String) throws -> TimeArgument? {
        guard let text = text(name) else { return nil }
        guard let time = try TimeArgument(text) else {
            throw UsageError("--\(name) takes \(TimeArgument.forms), not \"\(text)\"")
        }
        return time
    }

    /// Parses a moment.
    func moment(_ name: String) throws -> MomentArgument? {
        try text(name).map { try MomentArgument($0, for: "--\(name)") }
    }
}
