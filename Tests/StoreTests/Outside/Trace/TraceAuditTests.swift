import Testing

/// Traces by hand: one that keeps every rule, and for each rule one that does not.
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

    /// A segment that ended, sealed by another thread.
    private static let sealing = [
        #"2 openat(\#(events), "1.temporary", O_RDWR|O_CREAT, 0600) = 7</s/events/1.temporary>"#,
        #"2 pwrite64(7</s/events/1.temporary>, "(", 1, 0) = 1"#,
        "2 fdatasync(7</s/events/1.temporary>) = 0",
        #"2 renameat(5</s/events>, "1.temporary", 5</s/events>, "1.zst") = 0"#,
        "2 fsync(\(events)) = 0",
        #"2 unlinkat(5</s/events>, "1.open", 0) = 0"#,
    ]

    private func rules(_ lines: [String], endedInOrder: Bool = true) -> [TraceAudit.Rule] {
        TraceAudit.violations(
            in: TraceParser.calls(in: lines.joined(separator: "\n")), store: "/s",
            acknowledgements: "/a", endedInOrder: endedInOrder
        ).map(\.rule)
    }

    /// The lines without those that hold a text.
    private func without(_ text: String, _ lines: [String]) -> [String] {
        lines.filter { !$0.contains(text) }
    }

    @Test func `finds nothing in a life without fault`() {
        let life =
            Self.opening + [Self.write(1), Self.sync(), Self.acknowledge(1)]
            + [Self.write(2), Self.sync(), Self.acknowledge(2)] + Self.sealing
        #expect(rules(life) == [])
    }

    @Test func `misses a sync of the bytes`() {
        let write = [Self.write(1), Self.acknowledge(1)]
        #expect(rules(Self.opening + write) == [.acknowledgedBytes])
        #expect(rules(Self.opening + [Self.acknowledge(1)]) == [.acknowledgedBytes])
        let late = [Self.sync(), Self.write(1), Self.acknowledge(1), Self.sync()]
        #expect(rules(Self.opening + late) == [.acknowledgedBytes])
    }

    @Test func `trusts no sync that began before the write had returned`() {
        let start = "2 fdatasync(\(Self.segment) <unfinished ...>"
        let end = "2 <... fdatasync resumed>) = 0"
        let within = [start, Self.write(1), end, Self.acknowledge(1)]
        #expect(rules(Self.opening + within) == [.acknowledgedBytes])
        let behind = [Self.write(1), start, end, Self.acknowledge(1)]
        #expect(rules(Self.opening + behind) == [])
        let early = [Self.write(1), start, Self.acknowledge(1), end]
        #expect(rules(Self.opening + early) == [.acknowledgedBytes])
    }

    @Test func `misses a sync of each directory on the way to the bytes`() {
        let write = [
            Self.write(1, thread: 2), Self.sync(thread: 2), Self.acknowledge(1, thread: 2),
        ]
        for directory in ["fsync(3</>)", "fsync(4</s>)", "fsync(5</s/events>)"] {
            let opening = without(directory, Self.opening)
            #expect(
                rules(opening + write, endedInOrder: false) == [.acknowledgedName], "\(directory)")
        }
    }

    @Test func `misses a sync of the directory in which a thread has made something`() {
        let made = #"1 openat(4</s>, "other", O_RDWR|O_CREAT, 0600) = 8</s/other>"#
        let write = [Self.write(1), Self.sync()]
        let life = Self.opening + [made] + write + [Self.acknowledge(1), "1 fsync(4</s>) = 0"]
        #expect(rules(life) == [.ownNames])
        // Another thread is not concerned.
        let other = Self.opening + [made] + write + [Self.acknowledge(1, thread: 2)]
        #expect(rules(other, endedInOrder: false) == [])
        #expect(rules(other) == [.namesAtTheEnd])
    }

    @Test func `sees a file renamed that was not synced, or written since`() {
        let unsynced = without("fdatasync(6</s/events/1.temporary>)", Self.opening)
        #expect(rules(unsynced) == [.renamedContent])
        var written = Self.opening
        written.insert("1 ftruncate(6</s/events/1.temporary>, 5) = 0", at: 7)
        #expect(rules(written) == [.renamedContent])
    }

    @Test func `sees a segment removed too early`() {
        let life = Self.opening + [Self.write(1), Self.sync(), Self.acknowledge(1)]
        #expect(rules(life + without("fsync", Self.sealing)) == [.removedSegment, .namesAtTheEnd])
        #expect(rules(life + Self.sealing.suffix(1)) == [.removedSegment])
    }

    @Test func `sees what follows a sync that failed`() {
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
