import SkyrosTesting
import Testing

@testable import SkyrosLog

/// The segments of a store that is closed again and again, by size only.
private struct Closings {
    struct Segment {
        var byteCount: Int
        /// How often its bytes were written, at most.
        var writeCount = 1
    }

    let plan = MergePlan(LogOptions())
    private(set) var segments: [Segment] = []
    private(set) var contentBytes = 0
    private(set) var writtenBytes = 0
    private(set) var largestMerge = 0
    private(set) var mostMerges = 0

    var finalBytes: Int { plan.limits[plan.limits.count - 1] }

    /// Seals a segment and merges what is due.
    mutating func close(with byteCount: Int) {
        segments.append(Segment(byteCount: byteCount))
        contentBytes += byteCount
        writtenBytes += byteCount
        var mergeCount = 0
        while let run = plan.next(in: segments.map { MergePlan.Segment(byteCount: $0.byteCount) }) {
            let merged = Segment(
                byteCount: segments[run].reduce(0) { $0 + $1.byteCount },
                writeCount: (segments[run].map(\.writeCount).max() ?? 0) + 1)
            #expect(run.count > 1)
            segments.replaceSubrange(run, with: [merged])
            writtenBytes += merged.byteCount
            largestMerge = max(largestMerge, merged.byteCount)
            mergeCount += 1
        }
        mostMerges = max(mostMerges, mergeCount)
    }

    var finalCount: Int { segments.count { $0.byteCount >= finalBytes } }
}

/// The sizes of the segments that some way of using a store leaves.
private enum Sizes: CaseIterable {
    case justEnough, equal, anything, mixed, sawtooth, growing, mostlyFull

    func next(_ index: Int, _ random: inout Steps) -> Int {
        let least = 64 << 10
        switch self {
        case .justEnough: return least + Int(random.next() % 64)
        case .equal: return 300 << 10
        // Each power of two is as likely as any other.
        case .anything: return (least << Int(random.next() % 8)) + Int(random.next() % 65_536)
        case .mixed: return random.next() % 8 == 0 ? 5 << 20 : 70 << 10
        case .sawtooth: return least << (index % 9)
        case .growing: return least + index * 3_000
        case .mostlyFull: return random.next() % 4 == 0 ? 66 << 10 : 13 << 20
        }
    }
}

@Suite struct `A plan of merges` {
    /// The bounds of docs/decisions/0020, over thousands of closings.
    @Test(arguments: Sizes.allCases, [1, 2] as [UInt64])
    fileprivate func `writes each byte four times at most, and leaves few small files`(
        sizes: Sizes, seed: UInt64
    ) {
        var random = Steps(seed)
        var closings = Closings()
        for index in 0..<1_000 {
            closings.close(with: sizes.next(index, &random))
            let last = closings.segments.count
            #expect(last <= 2 * closings.finalCount + 23)
        }
        #expect(closings.segments.allSatisfy { $0.writeCount <= 4 })
        #expect(closings.writtenBytes <= 4 * closings.contentBytes)
        #expect(closings.largestMerge < 2 * closings.finalBytes)
        #expect(closings.mostMerges <= 3)
        #expect(closings.segments.reduce(0) { $0 + $1.byteCount } == closings.contentBytes)
    }

    @Test func `takes three classes below half of a full segment`() {
        #expect(MergePlan(LogOptions()).limits == [512 << 10, 4 << 20, 8 << 20])
        var options = LogOptions()
        options.segmentBytesMax = .max
        #expect(MergePlan(options).limits == [512 << 10, 4 << 20, 8 << 20])
        options.segmentBytesMax = 900
        #expect(MergePlan(options).limits == [450])
        options.segmentBytesMax = 0
        options.sealThresholdBytes = 0
        #expect(MergePlan(options).limits == [1])
        options.segmentBytesMax = 1 << 10
        #expect(MergePlan(options).limits == [8, 64, 512])
    }

    private func next(_ sizes: [Int]) -> Range<Int>? {
        MergePlan(LogOptions()).next(
            in: sizes.map { MergePlan.Segment(byteCount: $0 << 10) })
    }

    @Test func `merges neighbours once they reach the next class together`() {
        #expect(next([]) == nil)
        #expect(next([100, 100, 100]) == nil)
        #expect(next([100, 100, 100, 100, 100, 100]) == 0..<6)
        #expect(next([9_000, 100, 300, 200]) == 1..<4)
        // Of classes that are reached at the same time, the largest.
        #expect(next([2_000, 1_700, 100, 100, 100, 100, 100]) == 0..<6)
        // No more of them than needed.
        #expect(next([4_000, 4_100, 4_000, 4_100]) == 0..<3)
    }

    @Test func `merges neighbours that a larger segment follows`() {
        #expect(next([100, 100, 600]) == 0..<2)
        #expect(next([100, 600]) == nil)
        #expect(next([600, 100, 9_000]) == 0..<2)
        #expect(next([600, 100]) == nil)
    }

    @Test func `merges nothing across a border, or with what may not be merged`() {
        let plan = MergePlan(LogOptions())
        var segments = (0..<6).map { _ in MergePlan.Segment(byteCount: 100 << 10) }
        segments[3].continuesPredecessor = false
        #expect(plan.next(in: segments) == 0..<3)
        segments.removeFirst(2)
        #expect(plan.next(in: segments) == nil)
        segments += segments
        segments[5].isMergeable = false
        for index in segments.indices where index != 5 {
            segments[index].continuesPredecessor = true
        }
        #expect(plan.next(in: segments) == 0..<5)
        segments.removeFirst(2)
        #expect(plan.next(in: segments) == 0..<3)
    }
}
