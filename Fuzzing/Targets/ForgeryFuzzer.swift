@testable import Skyros
@testable import SkyrosLog

/// Edits a log as the input describes and updates the checksums, so that the edits look genuine.
enum ForgeryFuzzer: Fuzzer {
    static let name = "forgery"
    static let inputBytesMax = 512

    static func seeds() throws -> [[UInt8]] {
        let event = LogImage.closed.events[0]
        return [
            [0], [3], [0, 0, 0, 40, 0, 7], [3, 1, 3, 0, 9, 0, 7, 1, 0, 2],
            [0, 2, 3, 1] + event.asFuzzString, [4, 9, 0, 0, 5, 4, 1, 2, 3],
            [2], [5, 0, 0, 0, 9, 7], [2, 1, 0, 1, 30, 0, 4, 2, 0, 1, 2], [5, 0, 0, 2, 7, 1],
        ]
    }

    private static let base = Result { try LogImage.all.map { try ForgedLog($0) } }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        var input = FuzzInput(bytes)
        let logs = try base.get()
        let choice = input.below(2 * logs.count)
        var log = logs[choice % logs.count]
        log.isContinuous = choice >= logs.count
        while !input.isAtEnd, !log.segments.isEmpty { edit(&log, &input) }
        try LogContent().check(log.image().disk())
    }

    private static func edit(_ log: inout ForgedLog, _ input: inout FuzzInput) {
        let kind = input.below(16)
        let index = input.below(log.segments.count)
        if kind < 6 {
            let count = log.segments[index].parts.count
            guard count > 0 else { return }
            return edit(kind, &log.segments[index].parts, input.below(count), &input)
        }
        switch kind {
        case 6: log.segments.remove(at: index)
        case 7: log.segments.insert(log.segments[index], at: input.below(log.segments.count))
        case 8: rename(&log.segments[index], &input)
        case 9: log.segments[index].header.firstSequence = input.long()
        case 10: log.segments[index].header.timeBefore = Int64(bitPattern: input.long())
        case 11: log.segments[index].header.unsyncedBytesMax = input.long()
        case 12: log.segments[index].batchCount = input.long()
        case 13: log.segments[index].contentByteCount = UInt32(truncatingIfNeeded: input.long())
        case 14:
            log.segments[index].compressedByteCount = UInt32(truncatingIfNeeded: input.long())
        default: log.segments[index].header.salt = UInt64(input.byte())
        }
    }

    private static func rename(_ segment: inout ForgedLog.Segment, _ input: inout FuzzInput) {
        let sequence = segment.name.firstSequence
        let kind = LogImage.kinds[input.below(LogImage.kinds.count)]
        segment.name = SegmentName(sequence, kind)
    }

    private static func edit(
        _ kind: Int, _ parts: inout [ForgedLog.Part], _ index: Int, _ input: inout FuzzInput
    ) {
        switch kind {
        case 0:
            let count = parts[index].payload.count
            if count > 0 { parts[index].payload[input.below(count)] = input.byte() }
        case 1:
            let start = input.below(parts[index].payload.count)
            let end = min(parts[index].payload.count, start + Int(input.byte()))
            parts[index].payload.replaceSubrange(start..<end, with: input.string())
        case 2: parts.remove(at: index)
        case 3: parts[index].payload = input.string()
        case 4:
            parts[index].kind = input.byte() % 5
            parts[index].sequence = input.flag() ? input.long() : nil
            parts[index].durableByteCount = input.long()
        default:
            parts[index].beginsFrame.toggle()
            parts.insert(parts[index], at: input.below(parts.count))
        }
    }
}
