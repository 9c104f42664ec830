import SkyrosDisk
import Testing

private let a = DiskPath(.root, "a")
private let b = DiskPath(.root, "b")
private let event = DiskPath(.events, "1")

@Suite struct `A name on any disk` {
    @Test(arguments: DiskKind.allCases)
    func `leads to an empty file after creation`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.open(a, .create)
        #expect(try file.status().sizeBytes == 0)
        #expect(try fixture.disk.status(of: a) == file.status())
        #expect(try fixture.disk.list(.root) == ["a"])
    }

    @Test(arguments: DiskKind.allCases)
    func `leads to a new file after a second creation`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let old = try fixture.disk.make(a, [1, 2, 3])
        let new = try fixture.disk.open(a, .create)
        #expect(try new.status().sizeBytes == 0)
        #expect(try new.status().identity != old.status().identity)
        try new.write([9])
        #expect(try old.bytes(10) == [1, 2, 3])
        #expect(try fixture.disk.bytes(of: a) == [9])
        #expect(try fixture.disk.list(.root) == ["a"])
    }

    @Test(arguments: DiskKind.allCases)
    func `that is missing can be removed, but not opened or renamed`(
        on kind: DiskKind
    ) throws {
        let fixture = try DiskFixture(kind)
        let disk = fixture.disk
        let opening = failure { _ = try disk.open(a, .read) }
        #expect(opening?.isNotFound == true)
        #expect(opening?.operation == .open)
        #expect(failure { _ = try disk.open(a, .readWrite) }?.isNotFound == true)
        let renaming = failure { try disk.rename(a, to: b) }
        #expect(renaming?.isNotFound == true)
        #expect(renaming?.operation == .rename)
        #expect(try disk.status(of: a) == nil)
        try disk.remove(a)
        #expect(try disk.list(.root) == [])
    }

    @Test(arguments: DiskKind.allCases)
    func `prevents the removal of its directory`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let disk = fixture.disk
        try disk.removeDirectory(.events)
        try disk.makeDirectory(.events)
        try disk.make(event, [1])
        #expect(failure { try disk.removeDirectory(.events) }?.operation == .removeDirectory)
        #expect(try disk.bytes(of: event) == [1])
        try disk.remove(event)
        try disk.removeDirectory(.events)
        #expect(try disk.list(.root) == [])
        #expect(failure { _ = try disk.open(event, .create) }?.isNotFound == true)
        try disk.makeDirectory(.events)
        try disk.make(event, [2])
        #expect(try disk.bytes(of: event) == [2])
    }

    @Test(arguments: DiskKind.allCases)
    func `is missing if its directory is missing`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let disk = fixture.disk
        #expect(try disk.list(.events) == [])
        #expect(try disk.status(of: event) == nil)
        #expect(failure { _ = try disk.open(event, .read) }?.isNotFound == true)
        #expect(failure { _ = try disk.open(event, .create) }?.isNotFound == true)
        let syncing = failure { try disk.syncDirectory(.events) }
        #expect(syncing?.isNotFound == true && syncing?.isFailedSync == true)
        try disk.remove(event)
        try disk.make(a, [1])
        #expect(failure { try disk.rename(a, to: event) }?.isNotFound == true)
        #expect(try disk.bytes(of: a) == [1])
        #expect(try disk.list(.root) == ["a"])
    }

    @Test(arguments: DiskKind.allCases)
    func `is listed in its directory only, in order`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let disk = fixture.disk
        try disk.makeDirectory(.events)
        for name in ["b", "a", "C", "10", "9"] { try disk.make(DiskPath(.events, name)) }
        try disk.make(DiskPath(.root, "x"))
        #expect(try disk.list(.events) == ["10", "9", "C", "a", "b"])
        #expect(try disk.list(.root) == ["events", "x"])
        #expect(try disk.list(.quarantine) == [])
        try disk.remove(DiskPath(.events, "a"))
        #expect(try disk.list(.events) == ["10", "9", "C", "b"])
    }

    @Test(arguments: DiskKind.allCases)
    func `of a directory can be created twice, and keeps its files`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        try fixture.disk.makeDirectory(.events)
        try fixture.disk.make(event, [1])
        try fixture.disk.makeDirectory(.events)
        try fixture.disk.makeDirectory(.root)
        #expect(try fixture.disk.bytes(of: event) == [1])
        try fixture.disk.syncDirectory(.events)
        try fixture.disk.syncDirectory(.root)
    }

    @Test(arguments: DiskKind.allCases)
    func `of a directory cannot be used for a file`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let disk = fixture.disk
        let directory = DiskPath(.root, "events")
        try disk.makeDirectory(.events)
        try disk.make(event, [1])
        #expect(failure { _ = try disk.status(of: directory) }?.isInsecure == true)
        #expect(failure { _ = try disk.open(directory, .read) } != nil)
        #expect(failure { _ = try disk.open(directory, .readWrite) } != nil)
        #expect(failure { _ = try disk.open(directory, .create) } != nil)
        #expect(failure { try disk.remove(directory) } != nil)
        #expect(try disk.bytes(of: event) == [1])
    }

    @Test(arguments: DiskKind.allCases)
    func `can be given to another file by a rename`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let disk = fixture.disk
        try disk.make(a, [1, 1])
        let replaced = try disk.make(b, [2])
        try disk.rename(a, to: b)
        #expect(try disk.bytes(of: b) == [1, 1])
        #expect(try replaced.bytes(10) == [2])
        #expect(try disk.list(.root) == ["b"])
        try disk.rename(b, to: b)
        #expect(try disk.bytes(of: b) == [1, 1])
    }

    @Test(arguments: DiskKind.allCases)
    func `can move to another directory`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let disk = fixture.disk
        try disk.makeDirectory(.events)
        try disk.make(a, [1])
        try disk.rename(a, to: event)
        #expect(try disk.list(.root) == ["events"])
        #expect(try disk.bytes(of: event) == [1])
    }
}
