import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

/// Which files an erasure removes.
@Suite(.inFiles) struct `The files of an erased store` {
    private let home: Home
    private let store: Store
    private var root: URL { home.directory.store }

    init() throws {
        home = try Home(.disk)
        store = try home.open()
        try store.write { try $0.insert(User.john) }
        try FileManager.default.createDirectory(
            at: home.directory.store.appending(path: "quarantine"),
            withIntermediateDirectories: true)
    }

    private func put(_ path: String) throws {
        try home.directory.write([1, 2, 3], to: "Test.skyros/\(path)")
    }

    private var names: [String] {
        get throws { try home.directory.contents().keys.sorted() }
    }

    private static let foreign = [
        "Test.skyros/events/notes.txt", "Test.skyros/photo.jpg",
        "Test.skyros/quarantine/00000000000000000001.open-at-96.1",
        "Test.skyros/quarantine/checkpoint-1.sqlite", "Test.skyros/quarantine/mine.txt",
    ]

    private func putForeign() throws {
        for path in Self.foreign { try put(String(path.dropFirst("Test.skyros/".count))) }
    }

    @Test func `S-005: are those with names of ours; others and quarantine/ stay`() throws {
        try putForeign()
        try put("checkpoint.sqlite-wal")
        try put("scrub.json")
        try store.destroy()
        #expect(try names == Self.foreign)
    }

    @Test func `S-006: are those with names of ours, when the store stays open`() throws {
        try putForeign()
        try store.nuke()
        try store.write { try $0.insert(User.jane) }
        #expect(try Set(names).isSuperset(of: Self.foreign))
        #expect(try home.reopened(store).all(User.self) == [.jane])
    }

    @Test func `S-005: are those in quarantine/ too if that is asked for`() throws {
        try putForeign()
        try store.destroy(includingQuarantine: true)
        #expect(
            try names == [
                "Test.skyros/events/notes.txt", "Test.skyros/photo.jpg",
                "Test.skyros/quarantine/mine.txt",
            ])
    }

    @Test func `S-005: leave no directory that is empty`() throws {
        try store.destroy(includingQuarantine: true)
        #expect(!FileManager.default.fileExists(atPath: root.path))
        #expect(FileManager.default.fileExists(atPath: home.directory.path))
    }

    @Test(arguments: ["scrub.json", "checkpoint.sqlite-journal", "events/00000000000000000009.zst"])
    func `S-005: are no links: one refuses the erasure, and nothing changes`(path: String) throws {
        try home.directory.write([7], to: "precious")
        let link = root.appending(path: path)
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: home.directory.url.appending(path: "precious"))
        #expect(code { try store.destroy() } == .insecurePath)
        #expect(code { try store.nuke() } == .insecurePath)
        #expect(try home.directory.bytes(of: "precious") == [7])
        #expect(try store.all(User.self) == [.john])
        try store.write { try $0.insert(User.jane) }
        try FileManager.default.removeItem(at: link)
        #expect(try home.reopened(store).count(User.self) == 2)
    }

    @Test func `S-005: are not in a directory that the store's link leads to`() throws {
        try store.close()
        let link = home.directory.url.appending(path: "link.skyros")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: root)
        #expect(code { try Store.destroy(at: link) } == .insecurePath)
        #expect(try home.open().count(User.self) == 1)
    }

    @Test func `S-005: are not those of another directory that took the store's path`() throws {
        let moved = home.directory.url.appending(path: "moved")
        try FileManager.default.moveItem(at: root, to: moved)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        try put("lock")
        try store.destroy(includingQuarantine: true)
        #expect(try names == ["Test.skyros/lock"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: moved.path).isEmpty)
    }

    @Test func `S-005: hide the store from readers until the erasure is finished`() throws {
        try store.close()
        try put("erasing")
        for open in [
            { _ = try Archive(at: root) }, { _ = try home.open() },
            { try Copying.run(of: home.directory.url, to: root) },
        ] as [() throws -> Void] {
            let found = code(open)
            #expect(found == .erased || found == .unsupportedFormat)
        }
        #expect(try names.contains("Test.skyros/events/00000000000000000001.open"))
        try FileManager.default.removeItem(at: root.appending(path: "erasing"))
        #expect(try home.open().count(User.self) == 1)
    }
}

private enum Copying {
    /// Backs up a store elsewhere to a directory.
    static func run(of directory: URL, to target: URL) throws {
        let source = try Store(at: directory.appending(path: "Source.skyros"), entities: User.self)
        try source.backup(to: target)
    }
}
