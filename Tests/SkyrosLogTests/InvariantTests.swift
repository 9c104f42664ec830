import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

/// A state of a log that breaks one invariant.
enum BrokenLogState: String, CaseIterable, Codable {
    case watermarkBeyondEnd, lastBatchNotDurable, durableBytesBeyondFile, fileTooShort
    case tooMuchUnsynced, groupWithoutLeader, sealedSegmentMissing, segmentTwice
    case segmentEndsTooEarly, waypointBeyondEnd, waypointsOutOfOrder

    /// How the broken invariant is reported.
    var sentence: String {
        switch self {
        case .watermarkBeyondEnd: "The durable watermark is beyond the end of the log."
        case .lastBatchNotDurable: "Everything is durable, but not the last batch."
        case .durableBytesBeyondFile:
            "Bytes of the active segment are durable that are not in its file."
        case .fileTooShort:
            "The active segment's file is shorter than what was written to it."
        case .tooMuchUnsynced: "More is unsynced than recovery may cut off."
        case .groupWithoutLeader: "Threads wait for a sync that no thread leads."
        case .sealedSegmentMissing, .segmentTwice: "does not continue its predecessor."
        case .segmentEndsTooEarly: "where no block ends."
        case .waypointBeyondEnd: "A waypoint is beyond the end of its segment."
        case .waypointsOutOfOrder: "Two waypoints are out of order, or too close."
        }
    }

    /// The state of a synced log with several sealed segments, before the damage.
    static func intactState(_ fixture: LogFixture) throws -> FileLog.State {
        let log = try fixture.make(on: SimulatedDisk())
        try log.sync(through: log.append(40))
        while try log.sealNext() {}
        return log.state.withLock { $0 }
    }

    func apply(to state: inout FileLog.State, _ options: LogOptions) {
        let active = state.catalog.active
        switch self {
        case .watermarkBeyondEnd: state.durableBytes += 8
        case .lastBatchNotDurable: state.durableHead.sequence -= 1
        case .durableBytesBeyondFile: state.durableSegmentBytes = active.scan.endOffset + 8
        case .fileTooShort: state.allocatedBytes = active.scan.endOffset - 8
        case .tooMuchUnsynced: state.appendedBytes += options.unsyncedBytesMax + 100
        case .groupWithoutLeader: state.nextGroup = CommitGroup()
        case .sealedSegmentMissing: state.catalog.sealed.remove(at: state.catalog.sealed.count - 2)
        case .segmentTwice: state.catalog.ended = [active]
        case .segmentEndsTooEarly:
            Self.end(&state, with: [(.idle, 0, 48 - active.scan.endOffset)])
        case .waypointBeyondEnd: Self.end(&state, with: [(.idle, 0, 48)])
        case .waypointsOutOfOrder:
            let size = SegmentScan.waypointDistanceBytes
            Self.end(&state, with: [(.batch, active.scan.lastSequence, size), (.batch, 1, 48)])
        }
    }

    /// Replaces the open segments by one ended segment, which has these blocks in addition.
    private static func end(
        _ state: inout FileLog.State, with blocks: [(Block.Kind, UInt64, byteCount: Int)]
    ) {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        var segment = state.catalog.active
        for (kind, sequence, byteCount) in blocks {
            var block = Block(
                kind, payload: empty, payloadHash: 0, sequence: sequence,
                chainHash: segment.scan.lastChainHash, durableByteCount: 0)
            block.payloadByteCount = byteCount - Block.headerByteCount
            segment.scan.add(block, payload: empty)
        }
        state.catalog.ended = [segment]
    }
}

@Suite struct `The invariants of a log` {
    @Test(arguments: BrokenLogState.allCases)
    func `stop the process and name what is broken`(damage: BrokenLogState) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        { [damage] in
            let fixture = LogFixture(segmentBytesMax: 900)
            var state = try BrokenLogState.intactState(fixture)
            state.checkInvariants(fixture.options)
            damage.apply(to: &state, fixture.options)
            state.checkInvariants(fixture.options)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains(damage.sentence))
    }

    @Test func `are checked after an append`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            InvariantChecks.enable()
            let log = try LogFixture().make(on: SimulatedDisk())
            try log.append(1)
            log.state.withLock { $0.durableBytes = 1 << 40 }
            try log.append(1)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains(BrokenLogState.watermarkBeyondEnd.sentence))
    }
}
