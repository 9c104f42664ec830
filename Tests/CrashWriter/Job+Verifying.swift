import Foundation
import Skyros

extension Job {
    /// Opens the store, checks the promises, and returns the number of the last event.
    func verify() throws -> String {
        let store = try opened { error in
            complain("in the background: \(error)")
            exit(3)
        }
        let last = store.sequence.rawValue
        try checkRecovery(store.recovery)
        try checkAcknowledged(last)
        var model = Model()
        for number in 0..<last { model.apply(number + 1) }
        let expected = model.accounts.values.sorted { $0.id < $1.id }
        guard try store.all(Account.self, sortedBy: \.id) == expected else {
            throw Broken(description: "P3: the state is not that after event \(last)")
        }
        let digest = try store.snapshot.digest()
        guard try store.snapshot(asOf: .sequence(store.sequence)).digest() == digest,
            try archive().snapshot().digest() == digest
        else { throw Broken(description: "P7: the fold of the log gives another state") }
        try checkEvents(of: store, last)
        if last % 3 == 0 { try store.close() } else { exit(report(last)) }
        let verification = try archive().verify()
        guard verification.ok, verification.digest == digest else {
            throw Broken(description: "P7: \(verification.problems)")
        }
        return "\(last)"
    }

    /// Checks that the bytes that were cut off are reported (P4) and kept (P5).
    private func checkRecovery(_ report: RecoveryReport) throws {
        let sizes = report.quarantined.map { path in
            (try? FileManager.default.attributesOfItem(
                atPath: self.store.appending(path: path).path(percentEncoded: false))[.size])
                as? Int
        }
        guard sizes.allSatisfy({ $0 != nil }) else {
            throw Broken(description: "P5: some of \(report.quarantined) do not exist")
        }
        guard
            sizes.reduce(0, { $0 + ($1 ?? 0) }) >= report.cutByteCount
                + (report.cutByteCount > 0 ? 96 : 0)
        else {
            throw Broken(description: "P5: kept \(sizes) of \(report.cutByteCount) cut bytes")
        }
    }

    private func checkAcknowledged(_ last: UInt64) throws {
        let text = (try? String(contentsOf: acknowledgements, encoding: .utf8)) ?? ""
        // The kill may have cut the last line.
        let acknowledged =
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .compactMap { UInt64($0) }.max() ?? 0
        if durability >= .buffered, last < acknowledged {
            throw Broken(
                description: "P1: event \(acknowledged) was acknowledged, the last is \(last)")
        }
        if last > acknowledged + UInt64(threadCount), durability != .deferred {
            throw Broken(
                description: "P3: the last event is \(last), but only \(acknowledged) was written")
        }
    }

    /// Prints the last event. The caller exits without closing the store, as in a crash.
    private func report(_ last: UInt64) -> Int32 {
        FileHandle.standardOutput.write(Data("\(last)\n".utf8))
        return 0
    }

    private func checkEvents(of store: Store, _ last: UInt64) throws {
        var number: UInt64 = 0
        var time = EventTime(microseconds: 0)
        try store.events().forEach { event in
            number += 1
            let reason = event.metadata.reason
            guard event.sequence.rawValue == number, event.time > time,
                reason == "event \(number)" || (reason == nil && threadCount > 1)
            else { throw Broken(description: "P3: event \(number) is not what was written") }
            time = event.time
        }
        guard number == last else {
            throw Broken(description: "P3: read \(number) of \(last) events")
        }
    }
}
