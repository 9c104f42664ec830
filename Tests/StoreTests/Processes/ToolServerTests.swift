import Foundation
import Skyros
import SkyrosDisk
import SkyrosLog
import SkyrosPostgres
import TestSupport
import Testing

@testable import SkyrosTool

@Suite struct `The URL of a server as an argument` {
    @Test(arguments: [
        (
            "postgresql://ann:a%40b@h1:5,h2/shop?sslmode=require&password=x#orders",
            "postgresql://ann@h1:5,h2/shop?sslmode=require#orders", "shop#orders",
            "h1_5_h2_shop_orders"
        ),
        ("postgres://h1/shop?sslpassword=x", "postgres://h1/shop", "shop", "h1_shop_skyros"),
        ("postgresql:///shop#skyros", "postgresql:///shop", "shop", "shop_skyros"),
        ("postgresql://u:pa?ss@h/db", "postgresql://u@h/db", "db", "h_db_skyros"),
        ("postgresql://u:se#cret@h/db", "postgresql://u@h/db", "db", "h_db_skyros"),
        ("postgresql://u:s#?@h/db#a", "postgresql://u@h/db#a", "db#a", "h_db_a"),
        ("postgresql://u:p@ss@h/db", "postgresql://u@h/db", "db", "h_db_skyros"),
        ("postgresql://u:p?p@h?user=a@b", "postgresql://u@h?user=a@b", "", "h_skyros"),
        ("postgresql://h?pass%77ord=x", "postgresql://h", "", "h_skyros"),
        (
            "postgresql:///shop?host=/run/a&sslmode=require",
            "postgresql:///shop?host=/run/a&sslmode=require", "shop", "shop_host__run_a_skyros"
        ),
        (
            "postgresql:///?hos%74=%2Frun%2Fb&port=5&dbname=shop#a",
            "postgresql:///?hos%74=%2Frun%2Fb&port=5&dbname=shop#a", "a",
            "_host__run_b_port_5_dbname_shop_a"
        ),
    ])
    func `is shown without its password`(
        word: String, shown: String, name: String, cache: String
    ) throws {
        let argument = try #require(ServerArgument(word))
        #expect(argument.word == shown && argument.name == name)
        #expect(argument.cacheName == cache)
        // The server gets the password.
        #expect(word.hasPrefix(argument.url))
        #expect(["", "#\(argument.schema)"].contains(word.dropFirst(argument.url.count)))
    }
}

#if Postgres
    /// The commands with the URL of a server.
    @Suite(.onPostgres) struct `skyros on a server` {
        private let files: ToolStore
        private let url: String
        private let schema = "t" + String(SystemEntropy().next(), radix: 36)
        private let tool: Program

        init() throws {
            files = try ToolStore([Note.self]) { store in
                for id in 1...40 {
                    try store.write(by: "ann", because: "new") {
                        try $0.insert(Note(id: id, text: "a"))
                    }
                }
                for id in 1...40 {
                    try store.write(by: id.isMultiple(of: 2) ? "bob" : "ann") {
                        try $0.update(Note.self, id) { $0.text = "b \(id)" }
                    }
                }
                try store.write(by: "eve") { try $0.delete(Note.self, 7) }
            }
            url = try #require(SharedStore.url)
            tool = try Program("skyros")
        }

        private var target: String { "\(url)#\(schema)" }

        private func process(_ words: [String]) -> Process {
            let process = tool.process(words)
            process.environment?.merge([
                "SKYROS_ALLOWS_WEAK_DURABILITY": "1", "XDG_CACHE_HOME": files.path("caches"),
            ]) { $1 }
            return process
        }

        private func run(_ words: String...) throws -> Program.Outcome {
            try process(words).outcome()
        }

        private func copyToServer() throws {
            let outcome = try run("copy", files.directory.store.path, target)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test func `answers as in files`() throws {
            try copyToServer()
            for words in [
                ["log", "--json"], ["log", "--actor", "bob", "--limit", "3"],
                ["show", "Note", "3"],
                ["show", "--at", "41"], ["history", "Note", "7"], ["blame", "Note", "3", "--json"],
                ["diff", "-10", "--json"], ["query", "SELECT * FROM Note ORDER BY id"],
                ["schema"], ["export", "--format", "jsonl"], ["undo", "50"],
                ["what-if", "--skip", "81"],
                ["history", "Note", "99"], ["show", "Nothing"],
            ] {
                let local = try process([words[0], files.directory.store.path] + words.dropFirst())
                    .outcome()
                let server = try process([words[0], target] + words.dropFirst()).outcome()
                #expect(server.output == local.output, "\(words): \(server.errors)")
                #expect(server.status == local.status, "\(words)")
            }
            for words in [["verify"], ["replay"], ["info"], ["index"], ["rebuild"], ["stats"]] {
                let outcome = try process([words[0], target]).outcome()
                #expect(outcome.status == 0, "\(words): \(outcome.errors)")
            }
        }

        @Test func `is named without its password`() throws {
            try copyToServer()
            let bisect = try run("bisect", target, "SELECT count(*) >= 40 FROM Note")
            #expect(bisect.output.contains("skyros undo '\(target)' 81"), "\(bisect.output)")
        }

        @Test func `is copied into files that are a store`() throws {
            try copyToServer()
            let digest = try Archive(at: files.directory.store).snapshot().digest()
            for words in [["copy", target, "COPY"], ["backup", target, "--into", "COPY"]] {
                let copy = files.path(words[0])
                let outcome = try process(words.map { $0 == "COPY" ? copy : $0 }).outcome()
                #expect(outcome.status == 0, "\(words): \(outcome.errors)")
                let store = try Store(at: URL(filePath: copy), entities: Note.self)
                #expect(try store.snapshot.digest() == digest)
                try store.write { try $0.insert(Note(id: 99, text: "here")) }
                try store.close()
            }
        }

        @Test func `is created, written and undone`() throws {
            let input = files.path("notes.jsonl")
            try Data(#"{"entity":"Note","id":1,"record":{"id":1,"text":"x"}}"#.utf8)
                .write(to: URL(filePath: input))
            for words in [["--check"], []] {
                let outcome = try process(["import", target, input] + words).outcome()
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            #expect(try run("undo", target, "1", "--yes").status == 0)
            let log = try run("log", target)
            #expect(log.output.contains("1") && log.output.contains("2"), "\(log.output)")
            #expect(try run("query", target, "SELECT count(*) FROM Note").output.contains("0"))
        }

        @Test func `is not pruned`() throws {
            try copyToServer()
            for words in [["--before", "1 day ago"], ["--before", "1 day ago", "--yes"]] {
                let outcome = try process(["prune", target] + words).outcome()
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains("on a server cannot be pruned"))
            }
        }

        @Test func `that is not there is not found`() throws {
            for words in [["log"], ["verify"], ["copy", files.path("copy")], ["undo", "1"]] {
                let outcome = try process([words[0], target] + words.dropFirst()).outcome()
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains("no store on the server"), "\(outcome.errors)")
            }
        }

        /// Of 16 MB.
        private func largeStore() throws -> ToolStore {
            try ToolStore([Note.self]) { store in
                for id in 0..<256 {
                    let text = (0..<8_192).map { String($0 &* id, radix: 16) }.joined()
                    try store.write(durability: .deferred) {
                        try $0.insert(Note(id: id, text: text))
                    }
                }
            }
        }

        @Test(.long) func `continues a copy to it that was interrupted`() throws {
            let large = try largeStore()
            let digest = try Archive(at: large.directory.store).snapshot().digest()
            // The process may be faster than the signal.
            for attempt in 0..<20 {
                let target = "\(url)#\(schema)\(attempt)"
                let server = try PostgresServer(
                    url: url, schema: "\(schema)\(attempt)", allowsWeakDurability: true)
                try server.connect()
                let process = process(["copy", large.directory.store.path, target])
                (process.standardOutput, process.standardError) = (
                    FileHandle.nullDevice, FileHandle.nullDevice
                )
                try process.run()
                while process.isRunning {
                    guard let state = try? server.state(), state.head.sequence > 0 else { continue }
                    break
                }
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                let sequence = try server.state().head.sequence
                guard process.terminationReason == .uncaughtSignal, sequence < 256 else { continue }
                let outcome = try run("copy", large.directory.store.path, target, "--json")
                #expect(outcome.status == 0, "\(outcome.errors)")
                // The server may still be committing what the process has sent.
                let copied = try FieldValue(json: outcome.output).map?["copiedEvents"]?.integer
                #expect(try #require(copied) <= 256 - Int(sequence))
                #expect(outcome.output.contains(digest.description))
                return
            }
            Issue.record("no signal came in time")
        }

        @Test(.long) func `continues a copy from it that was interrupted`() throws {
            let large = try largeStore()
            let digest = try Archive(at: large.directory.store).snapshot().digest()
            #expect(try run("copy", large.directory.store.path, target).status == 0)
            for attempt in 0..<20 {
                let copy = files.path("copy\(attempt)")
                let process = process(["copy", target, copy])
                (process.standardOutput, process.standardError) = (
                    FileHandle.nullDevice, FileHandle.nullDevice
                )
                try process.run()
                while process.isRunning,
                    !FileManager.default.fileExists(atPath: copy + "/UNFINISHED.txt")
                {}
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                guard process.terminationReason == .uncaughtSignal else { continue }
                let refused = failure(as: StoreError.self) {
                    _ = try Store(at: URL(filePath: copy), entities: Note.self)
                }
                guard refused != nil else { continue }
                let outcome = try run("copy", target, copy)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let store = try Store(at: URL(filePath: copy), entities: Note.self)
                #expect(try store.snapshot.digest() == digest)
                try store.close()
                return
            }
            Issue.record("no signal came in time")
        }
    }
#endif
