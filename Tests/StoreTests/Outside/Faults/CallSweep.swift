import Foundation
import TestSupport
import Testing

/// A fault-injection sweep: one short run of the writer per system call on the store's files and
/// per way in which that call can fail, each followed by the verifier without faults.
///
/// `strace` counts the calls of each thread separately. The sweep therefore runs over several sets
/// of files: some of them are only touched by background threads.
struct CallSweep {
    /// The state of the store before each run.
    enum Start: String {
        case nothing = "a new store"
        case killed = "a killed store"
    }

    struct Case: CustomStringConvertible {
        let files: String
        let call: String
        let number: Int
        let fault: String

        var injection: String { "\(call):\(fault):when=\(number)" }
        var description: String { "\(injection) on \(files)" }
    }

    enum Outcome: String {
        case killed, failed, succeeded
        case untouched = "not reached"
    }

    private static let faults = ["signal=KILL", "error=EIO", "error=ENOSPC", "error=EINTR"]

    /// The faults to inject into a call. Errors that only some calls can return are tried on the
    /// first set of files only.
    private static func faults(of call: String, onAllFiles: Bool) -> [String] {
        guard onAllFiles else { return faults }
        let more: [String: [String]] = [
            "openat": ["EMFILE", "ENFILE", "EACCES", "EROFS", "EDQUOT", "ESTALE"],
            "mkdirat": ["EACCES", "EROFS", "EDQUOT"], "pwrite64": ["EDQUOT", "EROFS"],
            "pread64": ["ESTALE"], "unlinkat": ["EROFS"], "renameat": ["EROFS", "EDQUOT"],
        ]
        return faults + (more[call] ?? []).map { "error=\($0)" }
    }

    private let start: Start
    /// The store that each run copies.
    private let origin: WriterStore
    private let events = ["--events", "24"]
    /// Named sets of files and directories; paths are relative to the store.
    private var files: [(name: String, paths: [String])] = []
    private(set) var cases: [Case] = []

    init(_ start: Start) throws {
        self.start = start
        origin = try start == .killed ? Self.killedStore() : WriterStore()
        try listFiles()
        for (index, (name, paths)) in files.enumerated() {
            let home = try origin.copy()
            let calls = try run(home, paths: paths).calls
            var counts: [String: [Int: Int]] = [:]
            for call in calls { counts[call.name, default: [:]][call.thread, default: 0] += 1 }
            for (call, threads) in counts.sorted(by: { $0.key < $1.key }) {
                let last = threads.values.max() ?? 0
                let faults = Self.faults(of: call, onAllFiles: index == 0)
                cases += (0..<last).flatMap { number in
                    faults.map { Case(files: name, call: call, number: number + 1, fault: $0) }
                }
            }
        }
    }

    /// A store whose writer was killed in a sync.
    ///
    /// A plain copy of a store that was killed between two segments is refused, as a file may be
    /// missing in it. Then the writer is killed a little later.
    private static func killedStore() throws -> WriterStore {
        for number in 33..<43 {
            let store = try WriterStore()
            let outcome = try store.strace.run(
                store.arguments("run", "durable"),
                injecting: "fdatasync:signal=KILL:when=\(number)")
            try #require(outcome.wasKilled)
            let copy = try store.copy()
            let verified = try copy.writer.run(copy.arguments("verify", "durable"))
            if verified.status == 0 { return store }
            try #require(verified.errors.contains("segmentMissing"), "\(verified.errors)")
        }
        return try #require(nil as WriterStore?, "each writer was killed between two segments")
    }

    /// A sample of `count` cases, spread evenly over the pairs of call and fault.
    func sample(_ count: Int) -> [Case] {
        var random = RandomSource(seed: 7)
        var ranks: [String: Int] = [:]
        let ranked = cases.shuffled(using: &random).map { fault in
            (fault, rank: ranks["\(fault.call) \(fault.fault)", default: 0].postIncrement())
        }
        return ranked.sorted { $0.rank < $1.rank }.prefix(count).map(\.0)
    }

    /// Traces one run without faults to find the files that it uses.
    private mutating func listFiles() throws {
        let home = try origin.copy()
        let calls = try run(home, paths: []).calls
        var paths: Set<String> = [""]
        for path in calls.flatMap({ [$0.subject, $0.target] }) {
            guard let path, path.hasPrefix(home.store + "/") else { continue }
            paths.insert(String(path.dropFirst(home.store.count)))
        }
        let all = paths.sorted()
        files = [
            ("all files", all), ("the checkpoint", all.filter { $0.contains("checkpoint") }),
            ("sealed segments", all.filter { $0.hasSuffix(".zst") }),
            ("temporary files", all.filter { $0.contains(".t") }),
        ]
        .filter { !$0.1.isEmpty }
    }

    private func run(
        _ home: WriterStore, paths: [String], injecting injection: String? = nil
    ) throws -> Strace.Outcome {
        try home.strace.run(
            home.arguments("run", "durable") + events, on: paths.map { home.store + $0 },
            injecting: injection)
    }

    /// Runs the writer with one fault and verifies the store that it leaves.
    ///
    /// - Returns: how the run ended, and the problem that was found, or nil.
    func outcome(of fault: Case) throws -> (Outcome, problem: String?) {
        let home = try origin.copy()
        let paths = files.first { $0.name == fault.files }?.paths ?? []
        let run = try run(home, paths: paths, injecting: fault.injection)
        let isKill = fault.fault == "signal=KILL"
        let outcome: Outcome =
            if run.wasKilled {
                .killed
            } else if run.program.status != 0 {
                .failed
            } else {
                run.calls.contains(where: \.isInjected) ? .succeeded : .untouched
            }
        if run.wasKilled, !isKill || run.program.status != SIGKILL {
            return (outcome, "a trap, \(run.program.status): \(run.program.errors)")
        }
        if !run.wasKilled, ![0, 1].contains(run.program.status) {
            return (outcome, "status \(run.program.status): \(run.program.errors)")
        }
        // Two threads: each of the two runs may have written one event without acknowledging it.
        let verified = try home.writer.run(home.arguments("verify", "durable", "--threads", "2"))
        guard verified.status == 0 else {
            let why = "\(verified.errors) after: \(run.program.errors)"
            return (outcome, "verify says \(verified.status): \(why)")
        }
        return (outcome, nil)
    }
}

extension Int {
    /// Adds one and returns the old value.
    fileprivate mutating func postIncrement() -> Int {
        defer { self += 1 }
        return self
    }
}
