import SkyrosDisk
import Testing

private let path = DiskPath(.root, "file")

@Suite struct `A file on any disk` {
    @Test(arguments: DiskKind.allCases)
    func `reads back what was written`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.make(path, [1, 2, 3, 4, 5])
        try file.write([30, 40], at: 2)
        try file.write([6, 7], at: 5)
        #expect(try file.bytes(7) == [1, 2, 30, 40, 5, 6, 7])
        #expect(try file.bytes(2, at: 3) == [40, 5])
        #expect(try file.status().sizeBytes == 7)
    }

    @Test(arguments: DiskKind.allCases)
    func `reads fewer bytes at its end, and none after it`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.make(path, [1, 2, 3])
        #expect(try file.bytes(10) == [1, 2, 3])
        #expect(try file.bytes(10, at: 2) == [3])
        #expect(try file.bytes(10, at: 3) == [])
        #expect(try file.bytes(10, at: 1_000) == [])
        #expect(try file.bytes(0, at: 1) == [])
    }

    @Test(arguments: DiskKind.allCases)
    func `reads as zeros where nothing was written`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.make(path)
        try file.write([9], at: 3)
        #expect(try file.bytes(10) == [0, 0, 0, 9])
    }

    @Test(arguments: DiskKind.allCases)
    func `does not change by an empty write`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.make(path, [1])
        try file.write([], at: 0)
        try file.write([], at: 1_000)
        #expect(try file.status().sizeBytes == 1)
        #expect(try file.bytes(10) == [1])
    }

    @Test(arguments: DiskKind.allCases)
    func `never shrinks by preallocation`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.make(path, [1, 2])
        try file.preallocate(to: 5)
        #expect(try file.status().sizeBytes == 5)
        #expect(try file.bytes(10) == [1, 2, 0, 0, 0])
        #expect(try file.bytes(10, at: 3) == [0, 0])
        try file.preallocate(to: 3)
        try file.preallocate(to: 0)
        #expect(try file.bytes(10) == [1, 2, 0, 0, 0])
        try file.write([4], at: 3)
        #expect(try file.bytes(10) == [1, 2, 0, 4, 0])
    }

    @Test(arguments: DiskKind.allCases)
    func `loses what is truncated`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.make(path, [1, 2, 3, 4])
        try file.truncate(to: 2)
        #expect(try file.bytes(10) == [1, 2])
        try file.truncate(to: 4)
        #expect(try file.bytes(10) == [1, 2, 0, 0])
        try file.truncate(to: 1)
        try file.preallocate(to: 3)
        #expect(try file.bytes(10) == [1, 0, 0])
        try file.truncate(to: 0)
        #expect(try file.status().sizeBytes == 0)
        try file.write([7], at: 1)
        #expect(try file.bytes(10) == [0, 7])
    }

    @Test(arguments: DiskKind.allCases)
    func `is the same through every open handle`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let writer = try fixture.disk.make(path, [1, 2, 3])
        let reader = try fixture.disk.open(path, .read)
        let other = try fixture.disk.open(path, .readWrite)
        try writer.write([20], at: 1)
        try other.write([30], at: 2)
        #expect(try reader.bytes(10) == [1, 20, 30])
        #expect(try reader.status() == writer.status())
        #expect(try fixture.disk.status(of: path) == writer.status())
    }

    @Test(arguments: DiskKind.allCases)
    func `stays open after a rename and after a removal`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.make(path, [1, 2])
        let status = try file.status()
        let moved = DiskPath(.root, "moved")
        try fixture.disk.rename(path, to: moved)
        #expect(try file.status() == status)
        #expect(try fixture.disk.status(of: moved) == status)
        try fixture.disk.remove(moved)
        try file.write([3], at: 2)
        #expect(try file.bytes(10) == [1, 2, 3])
        #expect(try file.status().identity == status.identity)
    }

    @Test(arguments: DiskKind.allCases)
    func `can be synced, and closed twice`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let file = try fixture.disk.make(path, [1, 2])
        try file.sync()
        try file.close()
        try file.close()
        #expect(try fixture.disk.bytes(of: path) == [1, 2])
    }
}
