import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Reading a floor again, a part at a time, before the sealed segments.
@Suite struct `A check of a floor` {
    private let pruned: PrunedLog
    private let log: FileLog

    init() throws {
        pruned = try PrunedLog()
        log = try pruned.fixture.open(pruned.disk).0
    }

    private func pieces(
        of log: FileLog, _ byteCountMax: Int = 1 << 20, bytes: inout Int
    ) throws -> [SealedCheck.Piece] {
        var pieces: [SealedCheck.Piece] = []
        var next: UInt64? = 1
        while let position = next {
            let check = try log.checkSealed(from: position, byteCountMax: byteCountMax)
            bytes += check.byteCount
            pieces += check.pieces
            if byteCountMax == 1 { #expect(check.pieces.count { !$0.isStructure } == 1) }
            next = check.next
            if let next { try #require(next > position) }
        }
        return pieces
    }

    private var damages: [SealedCheck.Piece] {
        get throws {
            var unused = 0
            return try pieces(of: log, bytes: &unused).filter { $0.error != nil }
        }
    }

    /// With fewer and with more frames than the floor has replaced batches.
    @Test(arguments: [2, 4, 150])
    func `reads each byte once, whatever it reads at a time`(frameCount: Int) throws {
        let pruned = try PrunedLog(frameCount: frameCount)
        let log = try pruned.fixture.open(pruned.disk).0
        let extent = try #require(log.sealedExtent)
        let sealed = pruned.log.names.filter { $0.kind == .sealed || $0.kind == .floor }
        #expect(extent.byteCount == sealed.reduce(0) { $0 + pruned.log.bytes(of: $1).count })
        for byteCountMax in [1, 150, 700, 1 << 20] {
            var bytes = 0
            let all = try pieces(of: log, byteCountMax, bytes: &bytes)
            #expect(bytes == extent.byteCount)
            #expect(all.allSatisfy { $0.error == nil })
            #expect(all.first?.isStructure == true)
            #expect(all.first?.sequences == 1...pruned.first - 1)
            // The parts divide the batches that the floor has replaced, and the segments follow.
            var next: UInt64 = 1
            for piece in all where !piece.isStructure {
                #expect(piece.sequences.lowerBound == next)
                next = piece.sequences.upperBound + 1
            }
            #expect(next == extent.lastSequence + 1)
        }
    }

    @Test func `finds the damage that a damage scan finds, in every byte`() throws {
        for offset in 0..<pruned.log.bytes(of: pruned.floor).count {
            pruned.log.flip(pruned.floor, at: offset, bit: UInt8(offset % 8))
            let found = try damages
            #expect(found.isEmpty == (try pruned.log.scan().damages.isEmpty), "byte \(offset)")
            for damage in found {
                #expect(damage.error?.file == pruned.floor.path, "byte \(offset)")
                #expect(damage.error?.message.contains("the state before event") == true)
            }
            pruned.log.flip(pruned.floor, at: offset, bit: UInt8(offset % 8))
        }
        #expect(try damages.isEmpty)
    }

    @Test func `finds a floor that is missing, or another one, until it is restored`() throws {
        let path = pruned.floor.path.description
        let bytes = pruned.log.bytes(of: pruned.floor)
        pruned.disk.erase(path)
        #expect(try damages.map { $0.error?.code } == [.segmentMissing])
        let other = try PrunedLog(frameCount: 2)
        pruned.disk.overwrite(path, with: other.log.bytes(of: other.floor))
        #expect(try damages.first?.error?.code == .chainBroken)
        #expect(try damages.first?.isStructure == true)
        pruned.disk.overwrite(path, with: bytes)
        #expect(try damages.isEmpty)
    }

    @Test func `reads a floor that no sealed segment follows`() throws {
        let copy = pruned.disk.killed()
        let whole = try pruned.fixture.open(copy).0
        while try whole.sealNext() {}
        let last = try #require(whole.borders.last).firstSequence
        let floor = try whole.makeFloor(
            below: last,
            { writer in
                try writer.append([1])
                var index: [UInt8] = []
                index.append(littleEndian: XXH64.hash([]))
                return index
            }, check: { _ in })
        _ = try whole.prune(to: floor) {}
        let extent = try #require(whole.sealedExtent)
        #expect(extent.byteCount == floor.byteCount && extent.lastSequence == last - 1)
        var bytes = 0
        #expect(try pieces(of: whole, bytes: &bytes).count == 2)
        #expect(bytes == floor.byteCount)
    }

    @Test func `finds nothing while files must not be read`() throws {
        for kind in [SimulatedDisk.Kind.open, .read] {
            pruned.disk.inject(
                Fault(kind, reason: .system(System.notPermitted), isLasting: true))
            #expect(logCode { _ = try log.checkSealed(from: 1, byteCountMax: 1) } == .io)
            pruned.disk.heal()
        }
    }
}
