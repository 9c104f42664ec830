import Foundation
import Testing

/// Hand-written traces: one that keeps every rule, and for each rule one that violates it.
@Suite struct `The audit of a trace` {
    private static let events = "5</s/events>"
    private static let segment = "6</s/events/1.open>"

    /// A new store, up to its first segment.
    private static let opening = [
        #"1 mkdir("/s", 0700) = 0"#,
        "1 fsync(3</>) = 0",
        #"1 mkdirat(4</s>, "events", 0700) = 0"#,
        "1 fsync(4</s>) = 0",
        #"1 openat(\#(events), "1.temporary", O_RDWR|O_CREAT, 0600) = 6</s/events/1.temporary>"#,
        #"1 pwrite64(6</s/events/1.temporary>, "SKYLOG", 6, 0) = 6"#,
        "1 fdatasync(6</s/events/1.temporary>) = 0",
        #"1 renameat(5</s/events>, "1.temporary", 5</s/events>, "1.open") = 0"#,
        "1 fsync(\(events)) = 0",
    ]

    private static func write(_ number: Int, thread: Int = 1) -> String {
        let block =
            #""\xb5\x01\x00\x00\x08\x00\x00\x00\x0"# + "\(number)"
            + #"\x00\x00\x00\x00\x00\x00\x00""#
        return "\(thread) pwrite64(\(segment), \(block)..., 56, 200) = 56"
    }

    private static func sync(thread: Int = 1) -> String { "\(thread) fdatasync(\(segment)) = 0" }

    private static func acknowledge(_ number: Int, thread: Int = 1) -> String {
        #"\#(thread) write(9</a>, "\#(number)\n", 2) = 2"#
    }

    /// Another thread seals a finished segment.
    private static let sealing = [
        #"2 openat(\#(events), "1.temporary", O_RDWR|O_CREAT, 0600) = 7</s/events/1.temporary>"#,
        #"2 pwrite64(7</s/events/1.temporary>, "(", 1, 0) = 1"#,
        "2 fdatasync(7</s/events/1.temporary>) = 0",
        #"2 renameat(5</s/events>, "1.temporary", 5</s/events>, "1.zst") = 0"#,
        "2 fsync(\(events)) = 0",
        #"2 unlinkat(5</s/events>, "1.open", 0) = 0"#,
    ]

    private func rules(_ lines: [String], endedCleanly: Bool = true) -> [TraceAudit.Rule] {
        TraceAudit.violations(
            in: TraceParser.calls(in: lines.joined(separator: "\n")), store: "/s",
            acknowledgements: "/a", endedCleanly: endedCleanly
        ).map(\.rule)
    }

    /// The lines that do not contain `text`.
    private func without(_ text: String, _ lines: [String]) -> [String] {
        lines.filter { !$0.contains(text) }
    }

    @Test func `finds nothing in a correct run`() {
        let run =
            Self.opening + [Self.write(1), Self.sync(), Self.acknowledge(1)]
            + [Self.write(2), Self.sync(), Self.acknowledge(2)] + Self.sealing
        #expect(rules(run) == [])
    }

    @Test func `reports an acknowledgement before the sync of the bytes`() {
        let write = [Self.write(1), Self.acknowledge(1)]
        #expect(rules(Self.opening + write) == [.acknowledgedBytes])
        #expect(rules(Self.opening + [Self.acknowledge(1)]) == [.acknowledgedBytes])
        let late = [Self.sync(), Self.write(1), Self.acknowledge(1), Self.sync()]
        #expect(rules(Self.opening + late) == [.acknowledgedBytes])
    }

    @Test func `counts no sync that began before the write had returned`() {
        let start = "2 fdatasync(\(Self.segment) <unfinished ...>"
        let end = "2 <... fdatasync resumed>) = 0"
        let within = [start, Self.write(1), end, Self.acknowledge(1)]
        #expect(rules(Self.opening + within) == [.acknowledgedBytes])
        let after = [Self.write(1), start, end, Self.acknowledge(1)]
        #expect(rules(Self.opening + after) == [])
        let early = [Self.write(1), start, Self.acknowledge(1), end]
        #expect(rules(Self.opening + early) == [.acknowledgedBytes])
    }

    @Test func `reports a directory on the path of the bytes that was not synced`() {
        let write = [
            Self.write(1, thread: 2), Self.sync(thread: 2), Self.acknowledge(1, thread: 2),
        ]
        for directory in ["fsync(3</>)", "fsync(4</s>)", "fsync(5</s/events>)"] {
            let opening = without(directory, Self.opening)
            #expect(
                rules(opening + write, endedCleanly: false) == [.acknowledgedName], "\(directory)")
        }
    }

    @Test func `reports a thread that did not sync the directory of what it created`() {
        let create = #"1 openat(4</s>, "other", O_RDWR|O_CREAT, 0600) = 8</s/other>"#
        let write = [Self.write(1), Self.sync()]
        let run = Self.opening + [create] + write + [Self.acknowledge(1), "1 fsync(4</s>) = 0"]
        #expect(rules(run) == [.ownNames])
        // The rule does not apply to other threads.
        let other = Self.opening + [create] + write + [Self.acknowledge(1, thread: 2)]
        #expect(rules(other, endedCleanly: false) == [])
        #expect(rules(other) == [.namesAtTheEnd])
    }

    @Test func `reports a rename of a file that was never synced, or written after its sync`() {
        let unsynced = without("fdatasync(6</s/events/1.temporary>)", Self.opening)
        #expect(rules(unsynced) == [.renamedContent])
        var written = Self.opening
        written.insert("1 ftruncate(6</s/events/1.temporary>, 5) = 0", at: 7)
        #expect(rules(written) == [.renamedContent])
    }

    @Test func `reports a segment that is removed before its sealed form is durable`() {
        let run = Self.opening + [Self.write(1), Self.sync(), Self.acknowledge(1)]
        #expect(rules(run + without("fsync", Self.sealing)) == [.removedSegment, .namesAtTheEnd])
        #expect(rules(run + Self.sealing.suffix(1)) == [.removedSegment])
    }

    @Test func `reports a source that is removed before the merged segment is durable`() {
        let second = Self.sealing.dropLast().map {
            $0.replacingOccurrences(of: "1.zst", with: "8.zst")
        }
        let merging =
            Self.sealing.dropLast() + [#"2 unlinkat(5</s/events>, "8.zst", 0) = 0"#]
        let run =
            Self.opening + [Self.write(1), Self.sync(), Self.acknowledge(1)] + Self.sealing + second
        #expect(rules(run + merging) == [])
        let unsynced = without("fsync(\(Self.events))", Array(merging))
        #expect(rules(run + unsynced) == [.removedSegment, .namesAtTheEnd])
        // No earlier segment is left that could hold its events.
        let last = #"2 unlinkat(5</s/events>, "1.zst", 0) = 0"#
        #expect(rules(run + merging + [last]) == [.removedSegment])
    }

    @Test func `reports a second sync, or an acknowledgement, after a failed sync`() {
        let failed = "1 fdatasync(\(Self.segment)) = -1 EIO (Input/output error) (INJECTED)"
        let first = Self.opening + [Self.write(1), Self.sync(), Self.acknowledge(1)]
        #expect(rules(first + [Self.write(2), failed]) == [])
        #expect(rules(first + [Self.write(2), failed, Self.sync()]) == [.repeatedSync])
        let late = [Self.write(2), failed, Self.acknowledge(2)]
        #expect(rules(first + late) == [.acknowledgedBytes, .afterFailure])
        let directory = "1 fsync(\(Self.events)) = -1 EIO (Input/output error)"
        #expect(rules(first + [directory, "2 fsync(\(Self.events)) = 0"]) == [.repeatedSync])
    }
}
