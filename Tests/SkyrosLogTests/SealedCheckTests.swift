import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Reading sealed segments again, a part at a time.
@Suite struct `A check of sealed segments` {
    private let disk: SimulatedDisk
    private let log: FileLog
    private let sealed: [SealedSegment]

    init() throws {
        let damaged = try DamagedLog()
        disk = damaged.disk
        log = try damaged.fixture.open(disk).0
        sealed = try damaged.names.filter { $0.kind == .sealed }.map { [disk] in
            try SealedSegment($0, on: disk)
        }
    }

    /// All pieces, read with a budget for each step.
    private func pieces(_ byteCountMax: Int = 1 << 20) throws -> [SealedCheck.Piece] {
        var pieces: [SealedCheck.Piece] = []
        var next: UInt64? = 1
        while let position = next {
            let check = try log.checkSealed(from: position, byteCountMax: byteCountMax)
            pieces += check.pieces
            next = check.next
            if let next { try #require(next > position) }
        }
        return pieces
    }

    private var damages: [SealedCheck.Piece] {
        get throws { try pieces().filter { $0.error != nil } }
    }

    private func flip(_ segment: SealedSegment, at offset: Int, bit: Int = 0) throws {
        let path = segment.name.path.description
        var bytes = try #require(disk.contents[path])
        bytes[offset] ^= 1 << bit
        disk.overwrite(path, with: bytes)
    }

    private var bytes: Int { sealed.reduce(0) { $0 + $1.byteCount } }

    @Test func `reads each byte of the files once, whatever it reads at a time`() throws {
        #expect(log.sealedExtent?.byteCount == bytes)
        #expect(log.sealedExtent?.lastSequence == sealed.last?.lastSequence)
        let frames = sealed.flatMap { segment in
            segment.frames.indices.map { segment.extent(ofFrame: $0).sequences }
        }
        #expect(frames.count > sealed.count)
        for byteCountMax in [1, 150, 700, 1 << 20] {
            var count = 0
            var next: UInt64? = 1
            var read: [ClosedRange<UInt64>] = []
            var structures: [UInt64] = []
            while let position = next {
                let check = try log.checkSealed(from: position, byteCountMax: byteCountMax)
                count += check.byteCount
                read += check.pieces.filter { !$0.isStructure }.map(\.sequences)
                structures += check.pieces.filter(\.isStructure).map(\.sequences.lowerBound)
                #expect(check.pieces.allSatisfy { $0.error == nil })
                // It ends with the piece that reaches the limit.
                let largest = sealed.flatMap(\.frames).map(\.compressedByteCount).max() ?? 0
                let structure = sealed.map { segment in
                    segment.byteCount - segment.frames.reduce(0) { $0 + $1.compressedByteCount }
                }
                #expect(check.byteCount < byteCountMax + largest + (structure.max() ?? 0))
                next = check.next
                if let next { try #require(next > position) }
            }
            #expect(read == frames)
            #expect(structures == sealed.map(\.header.firstSequence))
            #expect(count == bytes)
        }
    }

    @Test func `finds the damage that a damage scan finds, in every byte (F8)`() throws {
        let fixture = try DamagedLog().fixture
        for segment in sealed.prefix(2) {
            for offset in stride(from: 0, to: segment.byteCount, by: 7) {
                try flip(segment, at: offset, bit: offset % 8)
                let scan = try DamageScan(
                    of: disk, fixture.options, framing: LogFixture.framing)
                let found = try damages
                #expect(
                    found.isEmpty == scan.damages.isEmpty, "\(segment.name) at \(offset)")
                for damage in found {
                    #expect(damage.error?.file?.name == segment.name.description)
                }
                try flip(segment, at: offset, bit: offset % 8)
            }
        }
        #expect(try damages.isEmpty)
    }

    @Test func `continues after a damaged frame, and names it`() throws {
        let segment = sealed[1]
        let number = segment.frames.count - 1
        try flip(segment, at: segment.frames[number].offset + 12)
        let found = try damages
        #expect(found.count == 1)
        let piece = try #require(found.first)
        #expect(!piece.isStructure)
        #expect(piece.sequences == segment.extent(ofFrame: number).sequences)
        #expect(piece.error?.code == .corrupt)
        #expect(piece.error?.offset == segment.frames[number].offset)
        #expect(try pieces().last?.sequences.upperBound == sealed.last?.lastSequence)
    }

    @Test func `reads the frames of a segment whose index is damaged, as it was opened`() throws {
        let segment = sealed[1]
        try flip(segment, at: segment.indexOffset + 20)
        let found = try damages
        #expect(found.map(\.isStructure) == [true])
        #expect(found.first?.sequences == segment.header.firstSequence...segment.lastSequence)
        let frameCount = sealed.reduce(0) { $0 + $1.frames.count }
        #expect(try pieces().count { !$0.isStructure && $0.error == nil } == frameCount)
    }

    @Test func `finds a file that is missing, or holds other events, until it is restored`() throws
    {
        let path = sealed[1].name.path.description
        let bytes = try #require(disk.contents[path])
        disk.erase(path)
        #expect(try damages.map { $0.error?.code } == [.segmentMissing])
        disk.overwrite(path, with: try #require(disk.contents[sealed[0].name.path.description]))
        #expect(try damages.first?.isStructure == true)
        disk.overwrite(path, with: bytes)
        #expect(try damages.isEmpty)
    }

    @Test func `calls an error of the device by its name, and continues`() throws {
        disk.inject(Fault(.read, after: 6))
        let found = try damages
        #expect(found.map { $0.error?.code } == [.io])
        #expect(found.first?.error?.cause?.isInputOutput == true)
    }

    @Test func `finds nothing while files must not be read`() throws {
        for kind in [SimulatedDisk.Kind.open, .read] {
            disk.inject(Fault(kind, reason: .system(System.notPermitted), isLasting: true))
            #expect(logCode { _ = try log.checkSealed(from: 1, byteCountMax: 1) } == .io)
            disk.heal()
        }
        try flip(sealed[0], at: 150)
        log.suspend()
        #expect(logCode { _ = try log.checkSealed(from: 1, byteCountMax: 1) } == .suspended)
    }
}
