import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A frame on a server` {
    private let format = FrameFormat(LogOptions(), LogFixture.framing)

    private func frame() throws -> RemoteFrame {
        let log = try LogFixture().make(on: SimulatedDisk())
        try log.append(20)
        return try #require(
            try RemoteFrame.next(after: 5, through: 17, byteCount: 1 << 20, of: log))
    }

    @Test func `has the batches of the log`() throws {
        let frame = try frame()
        #expect(frame.sequences == 6...17)
        let batches = try frame.batches(format)
        #expect(batches.map(\.bytes) == (6...17).map { LogFixture.batch($0) })
        #expect(batches.last?.chainHash == frame.chainHashAfter)
    }

    @Test func `of other bytes is refused`() throws {
        let frame = try frame()
        func code(
            _ sequences: ClosedRange<UInt64>? = nil, _ hash: ChainHash? = nil,
            _ zstd: [UInt8]? = nil
        ) -> LogError.Code? {
            let other = RemoteFrame(
                sequences ?? frame.sequences, chainHashBefore: frame.chainHashBefore,
                chainHashAfter: hash ?? frame.chainHashAfter, zstd: zstd ?? frame.zstd)
            return failure(as: LogError.self) { _ = try other.batches(format) }?.code
        }
        #expect(code() == nil)
        #expect(code(6...16) == .corrupt)
        #expect(code(6...18) == .corrupt)
        #expect(code(0...(.max)) == .corrupt)
        #expect(code(nil, frame.chainHashBefore) == .corrupt)
        #expect(code(nil, nil, []) == .corrupt)
        // Zstd ignores a bit of a frame's header.
        let harmless = frame.zstd.indices.count { index in
            var damaged = frame.zstd
            damaged[index] ^= 1
            return code(nil, nil, damaged) == nil
        }
        #expect(harmless <= 1)
    }
}
