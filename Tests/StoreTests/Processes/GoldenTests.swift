import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// The stores in Tests/Golden/Stores, which the library and a foreign writer wrote. docs/testing.md
/// lists them.
@Suite struct `A golden store` {
    static let home = Repository.root.appending(path: "Tests/Golden")
    static let stores = home.appending(path: "Stores")

    /// A store that every reader reads, with its last event and its digest.
    struct Readable: CustomTestStringConvertible, Sendable {
        let name: String
        let sequence: SequenceNumber
        let digest: String

        var testDescription: String { name }
    }

    private static func readable(
        _ sequence: SequenceNumber, _ digest: String, _ names: [String]
    ) -> [Readable] {
        names.map { Readable(name: $0, sequence: sequence, digest: digest) }
    }

    /// Written by Tests/Golden/write.py; the digests are those of docs/read_log.py.
    static let foreign =
        readable(7, "f0b51575c0d93d0fbd2fd4a4c83d0c26", ["foreign"])
        + readable(
            3, "72eb994888a71a7f02f82de3bb6126a8",
            [
                "header-longer", "header-optional-feature", "header-family",
                "header-minor-version", "block-skipped", "opening-more-keys", "names-of-others",
                "names-reserved",
            ])
        + readable(1, "44d831f56255ec3791c9684d93250fb3", ["checkpoint-foreign"])
        + readable(
            5, "66d7984963f49f5104863154baa93c66",
            [
                "sealed-header-longer", "sealed-further-frames", "sealed-index-longer",
                "successor-of-another-store",
            ])
        + readable(
            5, "d9d8cbf44151917eddc0a2eda8ab14de", ["event-plus-keys", "event-idempotency-key"])
        + readable(5, "114984b6e882312c6b930ab6cab16c3d", ["value-reserved-tag"])
        + readable(4, "2da1581589c70aa4caddc6c0a09e4439", ["event-schema"])
        + readable(3, "0e3bf3937341213bf713f40e425371b2", ["names-by-bytes"])
        + readable(2, "3ba7296a11526ea17e774f4683a9d382", ["shape-older"])
        + readable(1, "f61540c8355274c649be862c46374ae2", ["shape-newer"])
        + readable(1, "021c75d26f08564ba36bc133dee35c04", ["shape-other"])

    static let refused = [
        "format-newer", "format-older", "header-unknown-size", "header-feature-protected",
        "header-feature-encrypted", "header-feature-tree", "block-required", "block-flag-boxed",
        "block-flag-protected", "file-zst-age",
        "file-floor-age", "event-key-erase", "event-key-tree", "event-key-floor",
        "change-key", "intent-key",
        "actor-protected", "tag-protected",
    ]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A copy of a store, which may be changed.
    private func copy(_ name: String) throws -> URL {
        try FileManager.default.copyItem(
            at: Self.stores.appending(path: name), to: directory.store)
        return directory.store
    }

    private func open(_ url: URL) throws -> Store {
        var options = Store.Options()
        options.keepsUnknownEntities = true
        return try Store(at: url, entities: Note.self, options: options)
    }

    @Test func `is in the tests' list, and every one in the list is there`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.stores.path)
        let listed =
            Self.foreign.map(\.name) + Self.refused
            + ["checkpoint-kind", "checkpoint-newer", "library"]
        #expect(names.sorted() == listed.sorted())
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/testing.md"), encoding: .utf8)
        for name in listed { #expect(page.contains("`\(name)`"), "\(name)") }
    }

    @Test(arguments: foreign)
    func `is read by library and tool, and continued (F72)`(store: Readable) throws {
        let url = try copy(store.name)
        let verified = try Program("skyros").run("verify", url.path)
        #expect(verified.status == 0, "\(verified.output)")
        #expect(verified.output == "ok: \(store.sequence) events, digest \(store.digest)\n")
        let opened = try open(url)
        #expect(opened.sequence == store.sequence && opened.recovery.isComplete)
        let hasCheckpoint = store.name.hasPrefix("checkpoint-")
        #expect(opened.recovery.checkpoint == (hasCheckpoint ? .loaded(store.sequence) : .none))
        #expect(try opened.snapshot.digest().description == store.digest)
        try opened.write { try $0.insert(Note(id: 1, text: "continued")) }
        try opened.close()
        #expect(try Archive(at: url).verify().ok)
        #expect(try open(url).recovery.checkpoint == .loaded(store.sequence.next))
    }

    @Test func `shows what a later version has added to an event, its intent and its changes`()
        throws
    {
        let store = Self.stores.appending(path: "event-plus-keys").path
        let tool = try Program("skyros")
        let json = try tool.run("log", store, "--from", "4", "--to", "4", "--json")
        let event = try FieldValue(json: json.output)
        #expect(event["intent"] == .map(["name": "Add", "value": 1, "+more": 2]))
        #expect(event["+origin"] == "later" && event["+adopted"] == "later")
        let change = try #require(event["changes"]?.array?.first)
        #expect(change["+operations"] == [1] && change["+evolved"] == ["text"])
        let text = try tool.run("log", store, "--from", "4", "--to", "4").output
        let lines = text.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].contains("  Add 1  +more=2  +adopted=\"later\"  +after=\"later\""))
        #expect(lines[1].hasSuffix("  +evolved=[\"text\"]  +operations=[1]"))
    }

    @Test(arguments: [
        ("event-key-erase", "has the unknown key \"erase\";"),
        ("change-key", "has the unknown key \"later\" in a change;"),
        ("intent-key", "has the unknown key \"later\" in its intent;"),
    ])
    func `with an unknown key is refused by its name and place`(name: String, words: String) throws
    {
        let path = Self.stores.appending(path: name).path
        let outcome = try Program("skyros").run("verify", path)
        #expect(outcome.status == 1 && outcome.output.contains(words), "\(outcome.output)")
    }

    @Test(arguments: refused)
    func `of a later version is refused, and nothing is changed (F72)`(name: String) throws {
        let url = try copy(name)
        let before = try directory.contents()
        #expect(throws: StoreError(.unsupportedFormat, "")) { try open(url) }
        #expect(throws: StoreError(.unsupportedFormat, "")) {
            _ = try Archive(at: url).snapshot()
        }
        let verified = try Program("skyros").run("verify", url.path)
        #expect(verified.status == 1 && verified.output.contains("unsupportedFormat: "))
        #expect(verified.output.hasSuffix("not verified: this version cannot read the log\n"))
        let target = directory.url.appending(path: "Saved.skyros")
        #expect(throws: StoreError(.unsupportedFormat, "")) {
            _ = try Archive(at: url, reading: .upToDamage).salvage(into: target)
        }
        #expect(!FileManager.default.fileExists(atPath: target.path))
        let after = try directory.contents().filter { !$0.key.hasSuffix("/lock") }
        #expect(after == before)
        // The log is judged first: a checkpoint that nothing can use is left as it is, too.
        let checkpoint = url.appending(path: "checkpoint.sqlite")
        let garbage = Data("no checkpoint".utf8)
        try garbage.write(to: checkpoint)
        #expect(throws: StoreError(.unsupportedFormat, "")) { try open(url) }
        #expect(try Data(contentsOf: checkpoint) == garbage)
        #expect(!FileManager.default.fileExists(atPath: url.appending(path: "quarantine").path))
    }

    @Test func `with a newer checkpoint is read from its log, and not opened (F72)`() throws {
        let url = try copy("checkpoint-newer")
        let before = try directory.contents()
        #expect(throws: StoreError(.unsupportedFormat, "")) { try open(url) }
        let info = try Program("skyros").run("info", url.path)
        #expect(info.output.contains(/\ncheckpoint +of a newer version \(format 8\)\n/))
        let archive = try Archive(at: url)
        #expect(try archive.snapshot().digest().description == Self.foreign[1].digest)
        #expect(archive.verify().problems.first?.hasPrefix("unsupportedFormat: ") == true)
        #expect(throws: StoreError(.unsupportedFormat, "")) {
            try Archive.salvageCheckpoint(
                of: url, into: directory.url.appending(path: "Saved.skyros"))
        }
        let after = try directory.contents().filter { !$0.key.hasSuffix("/lock") }
        #expect(after == before)
    }

    @Test func `whose checkpoint has a column of a later version gets another (F72)`() throws {
        let url = try copy("checkpoint-kind")
        let bytes = try Data(contentsOf: url.appending(path: "checkpoint.sqlite"))
        let opened = try open(url)
        #expect(opened.recovery.quarantined == ["quarantine/checkpoint-1.sqlite"])
        guard case .rebuilt = opened.recovery.checkpoint else {
            Issue.record("\(opened.recovery)")
            return
        }
        let kept = url.appending(path: "quarantine/checkpoint-1.sqlite")
        #expect(try Data(contentsOf: kept) == bytes)
        try opened.close()
        #expect(try open(url).recovery.checkpoint == .loaded(1))
        #expect(try Archive(at: url).verify().ok)
    }

    @Test func `has protected values, once they have a tag, hashed without their content`() throws {
        let python = Repository.root.appending(path: ".build/python/bin/python3").path
        let docs = Repository.root.appending(path: "docs").path
        // Every value under the tag, in a record and in an intent, keeps two elements of three.
        let code = """
            import sys; sys.path.insert(0, sys.argv[1]); import read_log
            path = read_log.files(sys.argv[2])[1][0]; data = path.read_bytes()
            start, size = read_log.header(path, data)
            events = list(read_log.batches(path, data, read_log.u64(start, 56), size))
            assert [read_log.hash_form(event) for event in events] == events
            read_log.PROTECTED = 55935
            cut = events[3].replace(bytes([0x4a]) + b"ciphertext", b"")
            cut = cut.replace(bytes.fromhex("d9da7f83"), bytes.fromhex("d9da7f82"))
            assert len(cut) == len(events[3]) - 22
            print([read_log.hash_form(event) for event in events] == events[:3] + [cut, events[4]])
            """
        let store = Self.stores.appending(path: "value-reserved-tag").path
        let output = try Shell.run([python, "-c", code, docs, store])
        #expect(String(decoding: output, as: UTF8.self) == "True\n")
    }

    @Test func `of a foreign writer has the events that it wrote`() throws {
        let archive = try Archive(at: Self.stores.appending(path: "foreign"))
        var events: [Event] = []
        try archive.replay { event, _ in
            events.append(event.event)
            return true
        }
        #expect(events.count == 7)
        let metadata = events[1].metadata
        #expect(metadata.actor == "alice" && metadata.reason == "first")
        #expect(metadata.correlation == "c" && metadata.causation == "e")
        #expect(metadata.occurredAt == EventTime(microseconds: -1))
        #expect(metadata.tags == ["b": "1", "aa": "2"])
        #expect(try events[1].intent?.value == ["count": 2])
        #expect(try events[1].intent?.version == 1 && events[1].intent?.output == nil)
        let performed = try #require(events[6].intent)
        #expect(try performed.version == 2 && performed.output == [1, .null])
        #expect(performed.ids.map { $0.uuid.15 } == [15, 31])
        #expect(events[5].changes.first == .cleared(entity: "Item", count: 2))
        let state = try archive.snapshot()
        #expect(state.count("Item") == 2 && state.count("Everything") == 1)
        for event in events {
            var writer = CBORWriter()
            try EventCoding.append(event, to: &writer)
            let again = try writer.withUnsafeBytes {
                try EventCoding.event(from: $0, expecting: event.sequence)
            }
            #expect(again == event)
        }
        let added = try Archive(at: Self.stores.appending(path: "event-plus-keys")).event(4)
        #expect(added?.additions.names.count == 7)
        #expect(added?.additions(toChange: 0).names == ["+evolved", "+operations"])
    }

    /// One process for all stores.
    @Test func `is read, or refused, by the reader in the documents (F72)`() throws {
        let python = Repository.root.appending(path: ".build/python/bin/python3").path
        let docs = Repository.root.appending(path: "docs").path
        let code = """
            import sys; sys.path.insert(0, sys.argv[1]); import read_log
            for store in sys.argv[2:]:
                try: print(read_log.digest(read_log.fold(store)))
                except SystemExit as error: print(error)
            """
        let names = Self.foreign.map(\.name) + ["library"] + Self.refused
        let paths = names.map { Self.stores.appending(path: $0).path }
        let output = try Shell.run([python, "-c", code, docs] + paths)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == names.count)
        let digests =
            Self.foreign.map(\.digest) + [
                try Archive(at: Self.stores.appending(path: "library")).snapshot().digest()
                    .description
            ]
        for (name, (line, digest)) in zip(names, zip(lines, digests)) {
            #expect(line == digest, "\(name)")
        }
        for (name, line) in zip(names, lines).dropFirst(digests.count) {
            #expect(line.hasPrefix("unsupportedFormat: "), "\(name)")
        }
    }

    @Test func `of a foreign writer is written again by its script`() throws {
        let python = Repository.root.appending(path: ".build/python/bin/python3").path
        let script = Self.home.appending(path: "write.py").path
        _ = try Shell.run([python, script, directory.url.path])
        let written = try directory.contents()
        #expect(!written.isEmpty)
        for (path, bytes) in written {
            let golden = Self.stores.appending(path: path)
            // The bytes of zstd and SQLite are those of their versions.
            guard !path.hasSuffix(".zst"), !path.hasSuffix(".sqlite") else {
                #expect(FileManager.default.fileExists(atPath: golden.path))
                continue
            }
            #expect(try Data(contentsOf: golden) == bytes, "\(path)")
        }
    }
}
