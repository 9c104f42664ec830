import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Where a store is created, and where it is not.
@Suite struct `A directory without a store` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            at: directory.store, withIntermediateDirectories: true)
    }

    private func put(_ name: String, _ text: String = "mine") throws {
        let file = directory.store.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func open() throws {
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        failure(as: StoreError.self, body)?.code
    }

    @Test(arguments: [
        [], ["lock"], ["quarantine/x"], ["FORMAT.txt"], ["events/00000000000000000001.tmp"],
        ["lock", "FORMAT.txt", ".DS_Store", "events/00000000000000000001.tmp"],
        ["checkpoint.tmp", "checkpoint.tmp-journal", "checkpoint.sqlite-journal"],
    ])
    func `that is new, or an unfinished creation, becomes one`(names: [String]) throws {
        for name in names { try put(name) }
        try open()
        #expect(try Archive(at: directory.store).sequence == 1)
    }

    @Test func `becomes none if the app does not want one`() throws {
        var options = Store.Options()
        options.createsStore = false
        for url in [directory.store, directory.url.appending(path: "Missing.skyros")] {
            let error = failure(as: StoreError.self) {
                _ = try Store(at: url, entities: Note.self, options: options)
            }
            #expect(error?.code == .notAStore)
        }
        #expect(try directory.contents().keys.filter { $0 != "Test.skyros/lock" } == [])
        try open()
        let store = try Store(at: directory.store, entities: Note.self, options: options)
        #expect(try !store.recovery.isNew && store.count(Note.self) == 1)
        try store.close()
    }

    @Test(arguments: [
        "notes.txt", "events.txt", ".git/config", "Documents/a", "events/notes.txt", "a\u{1B}[0m",
        "checkpoint.pt",
    ])
    func `that holds other files does not, and stays as it is`(name: String) throws {
        try put(name)
        let before = try directory.contents()
        let error = failure(as: StoreError.self) { try open() }
        #expect(error?.code == .notAStore)
        #expect(error?.message.contains(name) == true || name.contains("/"))
        #expect(try directory.contents() == before)
    }

    @Test func `but with other parts of one is a store that lost its log`() throws {
        for name in ["tree/1", "history/1", "inbox/1", "forks/1", "shared.sqlite"] {
            try put(name)
            #expect(code { try open() } == .segmentMissing)
            try FileManager.default.removeItem(at: directory.store)
        }
    }

    @Test func `but with a checkpoint is a store that lost its log (F27, F29)`() throws {
        try open()
        let events = directory.store.appending(path: "events")
        try FileManager.default.removeItem(at: events)
        #expect(code { try open() } == .logBehindCheckpoint)
        try put("checkpoint.sqlite", String(repeating: "x", count: 5_000))
        #expect(code { try open() } == .segmentMissing)
        try FileManager.default.removeItem(
            at: directory.store.appending(path: "checkpoint.sqlite"))
        try open()
    }

    @Test func `that has a store opens it beside other files`() throws {
        try open()
        for name in ["notes.txt", "events/notes.txt", "tree/x"] { try put(name) }
        let store = try Store(at: directory.store, entities: Note.self)
        #expect(store.sequence == 1 && store.recovery.wasClean)
    }

    /// Another process creates the store before each listing of a directory.
    @Test func `that becomes one meanwhile is already open (F42)`() throws {
        var number = 0
        var isCreated = true
        while isCreated {
            let base = SimulatedDisk()
            let disk = HookedDisk(base)
            let left = Locked(number)
            let other = Locked<Store?>(nil)
            disk.beforeEach { operation, _ in
                guard operation == .list else { return }
                let isMeant = left.withLock { left in
                    left -= 1
                    return left == -1
                }
                guard isMeant, let store = try? Store(on: base, entities: Note.self) else { return }
                other.withLock { $0 = store }
            }
            let found = code {
                _ = try Store(Schema([Note.self]), Store.Options(), Environment(disk: disk))
            }
            isCreated = other.withLock { $0 != nil }
            #expect(found == (isCreated ? .alreadyOpen : nil), "listing \(number)")
            number += 1
        }
        #expect(number > 2)
    }

    @Test func `is no store if it is a file, or no file URL`() throws {
        try put("file")
        for name in ["file", "file/in"] {
            let url = directory.store.appending(path: name)
            #expect(code { _ = try Store(at: url, entities: Note.self) } == .notAStore)
            #expect(code { _ = try Archive(at: url) } == .notAStore)
        }
        let url = try #require(URL(string: "https://example.org/Store.skyros"))
        #expect(code { _ = try Store(at: url, entities: Note.self) } == .invalidInput)
        #expect(code { _ = try Archive(at: url) } == .invalidInput)
        #expect(!FileManager.default.fileExists(atPath: "/Store.skyros"))
    }

    // MARK: FORMAT.txt

    private func note() throws -> String {
        try String(contentsOf: directory.store.appending(path: "FORMAT.txt"), encoding: .utf8)
    }

    @Test(arguments: [nil, ""])
    func `has a note about the format once it is a store, or is opened without`(
        left: String?
    ) throws {
        try open()
        #expect(try note() == FormatNote.text)
        try FileManager.default.removeItem(at: directory.store.appending(path: "FORMAT.txt"))
        if let left { try put("FORMAT.txt", left) }
        let store = try Store(at: directory.store, entities: Note.self)
        #expect(try note() == FormatNote.text)
        try store.close()
        try put("FORMAT.txt", "my own")
        try Store(at: directory.store, entities: Note.self).close()
        #expect(try note() == "my own")
        let copy = directory.url.appending(path: "Copy.skyros")
        _ = try Archive(at: directory.store, reading: .upToDamage).salvage(into: copy)
        let copied = try String(contentsOf: copy.appending(path: "FORMAT.txt"), encoding: .utf8)
        #expect(copied == FormatNote.text)
    }

    @Test func `gets its note without a further sync of the directory`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self)
        let paths = disk.operations.map { "\($0.kind) \($0.path)" }
        let note = try #require(paths.lastIndex { $0.hasSuffix("FORMAT.txt") })
        let sync = try #require(paths.firstIndex { $0 == "syncDirectory " })
        #expect(note < sync)
        #expect(paths.count { $0 == "syncDirectory " } == 1)
        try store.close()
        let again = try Store(on: disk, entities: Note.self)
        #expect(
            disk.operations.dropFirst(paths.count).allSatisfy { operation in
                operation.kind == .status || !operation.path.contains("FORMAT")
            })
        try again.close()
    }

    @Test func `has a note that names the format and fits a page`() {
        #expect(FormatNote.text.contains("This is format 2."))
        let lines = FormatNote.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 40 && lines.allSatisfy { $0.count <= 100 })
    }
}
