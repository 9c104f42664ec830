import Skyros

#if !SKYROS_COMPARE
    // What differs between two moments, and whole states.
    extension Past {
        /// Not ten for each row with many versions: these would have the same status again.
        private static let eventCount = 950
        private static let differenceVariant = "what \(eventCount) events have changed"
        static let nearVariant = "whole state 10,000 events ago"
        static let middleVariant = "whole state in the middle"

        /// The first events of parts of a log, of which `eventCount` events each are compared.
        private static func starts(in last: Int) -> [Int] {
            (1...100).map { $0 * max(1, (last - eventCount) / 101) }
        }

        static func differences(of store: Store) throws -> [Figure] {
            let starts = starts(in: Int(store.sequence.rawValue))
            return try times(differenceVariant, of: starts.count) { index in
                let first = SequenceNumber(rawValue: UInt64(starts[index]))
                let last = first.advanced(by: eventCount)
                let list = try store.diff(from: .sequence(first), to: .sequence(last))
                try BenchmarkError.check(list.isEmpty, false, "an empty difference")
            }
        }

        static func differences(of reader: AuditReader) throws -> [Figure] {
            let starts = starts(in: try reader.last())
            return try times(differenceVariant, of: starts.count) { index in
                let first = starts[index]
                let count = try reader.difference(after: first, through: first + eventCount)
                try BenchmarkError.check(count > 0, true, "an empty difference")
            }
        }

        static func wholeStates(of store: Store) throws -> [Figure] {
            let last = store.sequence
            let near = try times(nearVariant, of: 5) { index in
                let moment = last.advanced(by: -10_000 - index)
                _ = try store.snapshot(asOf: .sequence(moment))
            }
            let middle = try times(middleVariant, of: 3) { index in
                let moment = SequenceNumber(rawValue: last.rawValue / 2 + UInt64(index))
                _ = try store.snapshot(asOf: .sequence(moment))
            }
            return near + middle
        }
    }
#endif
