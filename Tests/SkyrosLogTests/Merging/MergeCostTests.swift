import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// What sealing and merging write, over many sessions of one store, in bytes of files.
@Suite(.long) struct `Many sessions of one log` {
    /// Sizes of 1/128 of the default ones: small segments have up to 64 KiB.
    private static let fixture = {
        var fixture = LogFixture(segmentBytesMax: 128 << 10)
        fixture.options.sealThresholdBytes = 512
        fixture.options.frameBytes = 512
        fixture.options.preallocationBytes = 0
        return fixture
    }()

    private var fixture: LogFixture { Self.fixture }

    enum Use: CaseIterable {
        /// Sessions of 100 bytes to 1 KiB: some are continued.
        case small
        /// Any size up to 19 KiB, smaller ones more often.
        case mixed
        /// Mostly small; every 20th session is an import of 70 KiB.
        case imports

        func byteCount(_ session: Int, _ random: inout Steps) -> Int {
            switch self {
            case .small: 100 + Int(random.next() % 900)
            case .mixed: 300 << (random.next() % 7)
            case .imports: session % 20 == 7 ? 70 << 10 : 700
            }
        }
    }

    @Test(arguments: Use.allCases)
    func `write at most six times what is left, in a number of files that its size bounds`(
        use: Use
    ) throws {
        let disk = HookedDisk(MemoryDisk())
        let sealedBytes = Locked(0)
        disk.beforeEach { operation, path in
            guard operation == .rename, path.hasSuffix(".zst") else { return }
            let temporary = DiskPath(.events, path.dropFirst(7).dropLast(3) + "tmp")
            let size = failure(as: DiskError.self) {
                let status = try disk.status(of: temporary)
                sealedBytes.withLock { $0 += status?.sizeBytes ?? 0 }
            }
            #expect(size == nil)
        }
        var random = Steps(11)
        try fixture.make(on: disk).close()
        let sessions = Extent.pick(brief: 60, quick: 600, deep: 4_000)
        var written = 0
        for session in 0..<sessions {
            let (log, recovery) = try fixture.open(disk)
            #expect(recovery.wasClean)
            var left = use.byteCount(session, &random)
            written += left
            while left > 0 {
                let size = min(left, 60 + Int(random.next() % 190))
                let number = log.head.sequence + 1
                var batch = [UInt8](repeating: 0, count: size)
                for index in batch.indices { batch[index] = UInt8(random.next() % 16) }
                batch[0] = UInt8(size)
                _ = try log.append(batch, as: number)
                left -= size
            }
            try log.seal()
            try log.mergeAll()
            try check(log, contentBytes: written)
            try log.close()
        }
        let final = try fixture.inspect(disk).catalog
        let finalBytes = try #require(final).sealed.reduce(0) { $0 + $1.byteCount }
        let bytes = sealedBytes.withLock { $0 }
        #expect(bytes <= 6 * finalBytes)
        reportSweep(
            "sessions, \(use)",
            "\(sessions) of \(written >> 10) KiB in all, \(finalBytes >> 10) KiB sealed in "
                + "\(final?.sealed.count ?? 0) files, \(bytes * 100 / finalBytes) % written")
    }

    private func check(_ log: FileLog, contentBytes: Int) throws {
        let (sealed, active) = log.state.withLock { ($0.catalog.sealed, $0.catalog.active) }
        #expect(active.scan.contentByteCount <= fixture.options.sealThresholdBytes)
        let finalBytes = fixture.options.segmentBytesMax / 2
        let finalCount = sealed.count { $0.contentByteCount >= finalBytes }
        #expect(sealed.count <= 2 * finalCount + 23)
        #expect(finalCount <= contentBytes / finalBytes)
    }
}

/// Random numbers that a seed determines.
struct Steps {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state >> 3
    }
}
