// Imports the first-parent history of a git repository into a store, one write block per commit.
//
//     git-history REPOSITORY STORE             import new commits
//     git-history REPOSITORY STORE --check N   compare the store as of N random commits with git,
//                                              and some differences and origins of values
//     git-history REPOSITORY STORE --crash N   kill the import N times, then complete it
//     git-history REPOSITORY postgresql://… --node NAME --cache DIRECTORY
//                                              import as one of several nodes; see ClusterNode

import Foundation
import Skyros

struct Options {
    var repository = ""
    /// A directory, or the URL of a server.
    var store = ""
    var node = ""
    var cache = URL(filePath: "")
    var checkCount = 0
    var crashCount = 0
    var seed: UInt64 = 1
    /// Read a byte before each commit and print the number of commits after it: for the parent
    /// process of `--crash`, which kills this one.
    var acknowledges = false

    static let usage = """
        usage: git-history REPOSITORY STORE [--check N] [--crash N] [--seed S]
               git-history REPOSITORY URL --node NAME --cache DIRECTORY [--check N] [--seed S]

          REPOSITORY  a git checkout or bare repository
          STORE       the directory of the store; created if it is missing
          --check N   compare the store as of N random commits, and its checkpoint, with git;
                      N / 10 differences between commits, and N / 25 origins of files
          --crash N   kill the import N times at random moments, then complete it
          --seed S    the seed of all random choices; default 1
          URL         postgresql://…, of a store that several nodes import together
          --node      the name of this node
          --cache     the directory of its copy

        """

    init?(_ arguments: [String]) {
        var places: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--acknowledge": acknowledges = true
            case "--node", "--cache":
                guard let text = rest.popFirst() else { return nil }
                if argument == "--node" { node = text } else { cache = URL(filePath: text) }
            case "--check", "--crash", "--seed":
                guard let text = rest.popFirst(), let number = UInt64(text) else { return nil }
                if argument == "--check" { checkCount = Int(number) }
                if argument == "--crash" { crashCount = Int(number) }
                if argument == "--seed" { seed = number }
            case _ where argument.hasPrefix("-"): return nil
            default: places.append(argument)
            }
        }
        guard places.count == 2, isOnServer(places[1]) == !node.isEmpty else { return nil }
        repository = places[0]
        store = places[1]
    }
}

func isOnServer(_ place: String) -> Bool { place.hasPrefix("postgresql://") }

/// Draws a progress bar, if the standard error is a terminal.
func progress(_ what: String, _ done: Int, _ total: Int) {
    guard isatty(2) == 1, done % 50 == 0 || done == total else { return }
    let width = 30
    let filled = total == 0 ? width : done * width / total
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    FileHandle.standardError.write(Data("\r\(what) \(bar) \(done)/\(total)".utf8))
    if done == total { FileHandle.standardError.write(Data("\n".utf8)) }
}

func run(_ options: Options) throws {
    let git = Git(repository: options.repository)
    let place = URL(filePath: options.store)
    if options.crashCount > 0 {
        let crasher = Crasher(git: git, storeURL: place)
        try crasher.run(options.crashCount, seed: options.seed) { print($0) }
    }
    let start = ContinuousClock.now
    let importer = Importer(git: git)
    let imported = try importer.run(into: place) {
        if options.acknowledges { _ = FileHandle.standardInput.readData(ofLength: 1) }
    } report: { done, total in
        if options.acknowledges { FileHandle.standardOutput.write(Data("\(done)\n".utf8)) }
        progress("importing", done, total)
    }
    if options.acknowledges { return }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print("imported \(imported) commits in \(String(format: "%.2f", seconds)) s")
    if options.checkCount > 0 {
        let checker = Checker(git: git)
        let store = try Store(at: place, entities: Importer.entities)
        defer { try? store.close() }
        let checked = try checker.checkHistory(of: store, options.checkCount, seed: options.seed) {
            progress("checking", $0, $1)
        }
        try checker.checkCheckpoint(in: place)
        print("checked \(checked) commits and the checkpoint: all agree with git")
        let few = max(1, options.checkCount / 10)
        let differences = try checker.checkDifferences(in: store, few, seed: options.seed)
        let origins = try checker.checkOrigins(
            in: store, max(1, few * 2 / 5), seed: options.seed)
        print("checked \(differences) differences and \(origins) origins: all agree with git")
    }
}

// Writing to a killed child is an error and must not end this process.
signal(SIGPIPE, SIG_IGN)
guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    FileHandle.standardError.write(Data(Options.usage.utf8))
    exit(2)
}
do {
    if isOnServer(options.store) {
        #if Postgres
            let node = ClusterNode(
                git: Git(repository: options.repository), url: options.store, cache: options.cache,
                name: options.node)
            try await node.run(checking: options.checkCount, seed: options.seed)
        #else
            throw Git.Failure(description: "build it with --traits SystemZstd,Postgres")
        #endif
    } else {
        try run(options)
    }
} catch {
    FileHandle.standardError.write(Data("git-history: \(error)\n".utf8))
    exit(1)
}
