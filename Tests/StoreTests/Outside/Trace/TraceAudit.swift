/// Checks that the system calls of a writer keep the promises for durable writes (P2, P5, P10).
///
/// A pure function of the trace. It knows the file names of a store and the header of a block from
/// docs/log-format.md, and nothing of the library. A sync covers exactly the calls that had
/// returned before it began, and no concurrent ones.
struct TraceAudit {
    enum Rule: String {
        case acknowledgedBytes = "an event is acknowledged after its bytes were synced"
        case acknowledgedName = "an event is acknowledged after every name on its path was synced"
        case ownNames = "a thread syncs the directory of what it created before it acknowledges"
        case renamedContent = "a file is synced after its last write and before it is renamed"
        case removedSegment = "a segment is removed after its sealed form is durable"
        case repeatedSync = "a failed sync is not repeated"
        case afterFailure = "no thread acknowledges after its sync has failed"
        case namesAtTheEnd = "a clean exit leaves no name that is not durable"
    }

    struct Violation: Equatable, CustomStringConvertible {
        let rule: Rule
        let line: Int
        let text: String

        var description: String { "line \(line): \(text) [\(rule.rawValue)]" }
    }

    /// A file; its identity survives a rename.
    private final class File {
        var path: String
        /// The calls that changed its content and that no sync covers yet, by index.
        var unsynced: Set<Int> = []
        var hasFailedSync = false

        init(_ path: String) {
            self.path = path
        }
    }

    /// A new directory entry that is not synced yet: of a new file or directory, or by a rename.
    private struct Name {
        let call: Int
        let thread: Int
        let path: String

        var directory: String { TraceAudit.directory(of: path) }
    }

    private struct Sync {
        let file: File
        let changes: Set<Int>
        let names: Set<Int>
    }

    private let store: String
    private let acknowledgements: String
    private let calls: [TraceCall]
    private var existing: Set<String>
    private var files: [String: File] = [:]
    private var names: [Name] = []
    private var returned: Set<Int> = []
    private var syncs: [Int: Sync] = [:]
    private var durable: Set<Int> = []
    /// The file of each event, and the call that wrote it.
    private var events: [UInt64: (file: File, call: Int)] = [:]
    private var failedThreads: Set<Int> = []
    private var violations: [Violation] = []

    /// The rules that a trace violates.
    ///
    /// - Parameters:
    ///   - existing: the paths that existed before the trace; all others are new.
    ///   - endedCleanly: whether the process closed the store and exited normally.
    static func violations(
        in calls: [TraceCall], store: String, acknowledgements: String,
        existing: Set<String> = [], endedCleanly: Bool
    ) -> [Violation] {
        var audit = TraceAudit(
            store: store, acknowledgements: acknowledgements, calls: calls, existing: existing)
        for step in audit.steps() {
            step.isEnd ? audit.end(step.call) : audit.begin(step.call)
        }
        if endedCleanly {
            for name in audit.names {
                audit.note(.namesAtTheEnd, calls[name.call], name.path)
            }
        }
        return audit.violations
    }

    private init(
        store: String, acknowledgements: String, calls: [TraceCall], existing: Set<String>
    ) {
        self.store = store
        self.acknowledgements = acknowledgements
        self.calls = calls
        self.existing = existing
    }

    /// The starts and ends of all calls, in the order of the trace.
    private func steps() -> [(call: Int, isEnd: Bool)] {
        let begins = calls.indices.map { (line: calls[$0].began, call: $0, isEnd: false) }
        let ends = calls.indices.compactMap { index in
            calls[index].ended.map { (line: $0, call: index, isEnd: true) }
        }
        return (begins + ends).sorted { a, b in
            a.line != b.line ? a.line < b.line : !a.isEnd && b.isEnd
        }
        .map { ($0.call, $0.isEnd) }
    }

    private mutating func note(_ rule: Rule, _ call: TraceCall, _ text: String) {
        violations.append(Violation(rule: rule, line: call.began, text: text))
    }

    // MARK: Paths

    private static func directory(of path: String) -> String {
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }

    private func isInStore(_ path: String) -> Bool {
        path == store || path.hasPrefix(store + "/")
    }

    private mutating func file(_ path: String) -> File {
        if let file = files[path] { return file }
        let file = File(path)
        files[path] = file
        return file
    }
}

// MARK: - Steps

extension TraceAudit {
    private mutating func begin(_ index: Int) {
        let call = calls[index]
        guard let path = call.subject else { return }
        switch call.name {
        case "write" where path == acknowledgements: acknowledge(call)
        case "write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate":
            guard isInStore(path) else { return }
            file(path).unsynced.insert(index)
            if let number = Self.event(in: call) { events[number] = (file(path), index) }
        case "fsync", "fdatasync":
            let file = file(path)
            if file.hasFailedSync { note(.repeatedSync, call, path) }
            let synced = names.filter { $0.directory == path && returned.contains($0.call) }
            syncs[index] = Sync(
                file: file, changes: file.unsynced.intersection(returned),
                names: Set(synced.map(\.call)))
        case "rename", "renameat", "renameat2":
            guard isInStore(path), let target = call.target else { return }
            if !file(path).unsynced.isEmpty { note(.renamedContent, call, path) }
            names.append(Name(call: index, thread: call.thread, path: target))
        case "unlink", "unlinkat":
            if isInStore(path), path.hasSuffix(".open") || path.hasSuffix(".zst") {
                checkRemoval(call, path)
            }
        default: break
        }
    }

    private mutating func end(_ index: Int) {
        let call = calls[index]
        returned.insert(index)
        guard let path = call.subject else { return }
        switch call.name {
        case "open", "openat", "creat":
            let isNew = call.name == "creat" || call.arguments.contains { $0.contains("O_CREAT") }
            if isNew, call.succeeded { created(path, index) }
        case "mkdir", "mkdirat":
            if call.succeeded { created(path, index) }
        case "fsync", "fdatasync": synced(call, syncs.removeValue(forKey: index))
        case "rename", "renameat", "renameat2":
            guard let target = call.target else { return }
            renamed(path, to: target, index)
        case "unlink", "unlinkat":
            guard call.succeeded else { return }
            files[path] = nil
            existing.remove(path)
            names.removeAll { $0.path == path }
        default: break
        }
    }

    private mutating func created(_ path: String, _ index: Int) {
        guard isInStore(path), existing.insert(path).inserted else { return }
        names.append(Name(call: index, thread: calls[index].thread, path: path))
    }

    private mutating func synced(_ call: TraceCall, _ sync: Sync?) {
        guard let sync else { return }
        guard call.succeeded else {
            sync.file.hasFailedSync = true
            if isInStore(sync.file.path) { failedThreads.insert(call.thread) }
            return
        }
        sync.file.unsynced.subtract(sync.changes)
        durable.formUnion(sync.changes)
        names.removeAll { sync.names.contains($0.call) }
    }

    private mutating func renamed(_ path: String, to target: String, _ index: Int) {
        guard calls[index].succeeded else { return names.removeAll { $0.call == index } }
        // The old name is gone and needs no sync any more.
        names.removeAll { $0.path == path || ($0.path == target && $0.call != index) }
        existing.remove(path)
        existing.insert(target)
        guard let file = files.removeValue(forKey: path) else { return }
        file.path = target
        files[target] = file
    }

    // MARK: Checks

    /// The event in a write of a block: magic byte, kind, and the sequence at byte 8.
    private static func event(in call: TraceCall) -> UInt64? {
        guard call.name == "pwrite64", let bytes = call.bytes(1), bytes.count >= 16,
            bytes[0] == 0xB5, bytes[1] == 1
        else { return nil }
        return bytes[8..<16].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func acknowledge(_ call: TraceCall) {
        let text = String(decoding: call.bytes(1) ?? [], as: UTF8.self)
        for line in text.split(separator: "\n") {
            guard let number = UInt64(line), let event = events[number] else {
                note(.acknowledgedBytes, call, "\(line) was never written")
                continue
            }
            if !durable.contains(event.call) {
                note(.acknowledgedBytes, call, "\(number) in \(event.file.path)")
            }
            for name in names where "\(event.file.path)/".hasPrefix("\(name.path)/") {
                note(.acknowledgedName, call, "\(number) in \(name.path)")
            }
        }
        for name in names where name.thread == call.thread {
            note(.ownNames, call, name.path)
        }
        if failedThreads.contains(call.thread) { note(.afterFailure, call, text) }
    }

    /// The sealed segment with the next lower number, or an equal one for an open segment, holds
    /// the events of the removed one: it is its sealed form, or merged of both.
    private mutating func checkRemoval(_ call: TraceCall, _ path: String) {
        let directory = Self.directory(of: path)
        let number = Self.number(of: path)
        let sealed = existing.filter {
            $0 != path && $0.hasSuffix(".zst") && Self.directory(of: $0) == directory
                && Self.number(of: $0) <= number
        }
        let holder = sealed.max { Self.number(of: $0) < Self.number(of: $1) }
        let isDurable = holder.map { holder in
            file(holder).unsynced.isEmpty && !names.contains { $0.path == holder }
        }
        if isDurable != true { note(.removedSegment, call, path) }
    }

    /// The sequence in the name of a segment.
    private static func number(of path: String) -> UInt64 {
        let name = path[path.index(path.startIndex, offsetBy: directory(of: path).count + 1)...]
        return UInt64(name.prefix { $0 != "." }) ?? 0
    }
}
