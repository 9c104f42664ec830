import Foundation
import Skyros
import TestSupport
import Testing

/// `skyros backup`, run as a process.
@Suite struct `The command backup` {
    private let store: ToolStore

    init() throws {
        store = try ToolStore([Note.self]) { store in
            for id in 1...20 {
                try store.write(by: "alice") { try $0.insert(Note(id: id, text: "note \(id)")) }
            }
        }
    }

    private func object(_ text: String) throws -> NamedValues<FieldValue> {
        guard case .map(let object) = try FieldValue(json: text) else { return [:] }
        return object
    }

    private func verify(_ path: String) throws -> NamedValues<FieldValue> {
        try object(Program("skyros").run("verify", path, "--json").output)
    }

    @Test func `copies a store, and reports what it did`() throws {
        let copy = store.path("copy")
        let outcome = try store.run("backup", "--into", copy, "--json")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let report = try object(outcome.output)
        #expect(
            Set(report.keys) == [
                "sequence", "chainHash", "copiedFiles", "copiedBytes", "sharedFiles", "sharedBytes",
                "keptFiles", "keptBytes", "appendedEvents", "appendedBytes",
            ])
        #expect(report["sequence"]?.integer == 20 && report["appendedEvents"]?.integer == 20)
        #expect(report["chainHash"]?.text?.count == 16)
        let (original, found) = (try verify(store.directory.store.path), try verify(copy))
        #expect(found["ok"] == .bool(true) && found["digest"] == original["digest"])
        let again = try store.run("backup", "--into", copy)
        #expect(again.status == 0 && again.output.hasPrefix("event 20, chain hash "))
        #expect(again.output.hasSuffix("0 files (0 B) kept, 0 events appended\n"))
    }

    @Test func `makes a store as of any moment`() throws {
        let copy = store.path("copy")
        #expect(try store.run("backup", "--into", copy).status == 0)
        for (moment, last) in [("7", 7), ("-5", 15), ("2099-01-01", 20), ("0", 0)] {
            let then = store.path("then\(moment)")
            let tool = try Program("skyros")
            let outcome = try tool.run(
                "backup", copy, "--into", then, "--to", moment, "--verify", "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try object(outcome.output)["sequence"]?.integer == last)
            #expect(try verify(then)["sequence"]?.integer == last)
        }
    }

    @Test func `refuses wrong arguments and wrong places`() throws {
        let copy = store.path("copy")
        for words in [
            [], ["--into", ""], ["--into", copy, "--to", "x"],
            ["--into", copy, "--follow", "--to", "3"],
        ] {
            #expect(try store.process("backup", words).outcome().status == 2, "\(words)")
        }
        let other = try Store(at: URL(filePath: copy), entities: Note.self)
        try other.write { try $0.insert(Note(id: 1, text: "")) }
        try other.close()
        let refused = try store.run("backup", "--into", copy)
        #expect(refused.status == 1 && refused.errors.contains("historyChanged"))
        #expect(refused.errors.contains("event 1,") && refused.errors.contains("event 20;"))
        #expect(try store.run("backup", "--into", store.directory.store.path).status == 1)
        #expect(try store.run("backup", "--into", store.path("x"), "--to", "21").status == 1)
        #expect(try Program("skyros").run("backup", store.path("no"), "--into", copy).status == 1)
        #expect(!FileManager.default.fileExists(atPath: store.path("x")))
    }

    @Test func `is explained`() throws {
        let help = try Program("skyros").run("help", "backup")
        #expect(help.status == 0 && help.output.contains("--follow"))
    }
}

/// Copies of a store that another process writes, seals and checkpoints.
@Suite(.long) struct `A store that is written` {
    /// The writer does not wait for the test, so a store serves a few rounds only: the number of
    /// its files must not depend on the machine.
    @Test func `is copied by backup, again and again`() throws {
        for _ in 0..<Extent.pick(brief: 1, quick: 1, deep: 10) {
            let live = try LiveStore()
            let copy = live.directory.path("copy")
            func copyOnce(through last: Int) throws {
                let outcome = try Program("skyros").run(
                    "backup", live.directory.store.path, "--into", copy)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let opened = try live.open(copy)
                let text = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(Int(text) ?? 0 >= last, "\(opened.errors)")
            }
            for _ in 0..<Extent.pick(brief: 2, quick: 6, deep: 6) {
                live.wait(events: 30)
                try copyOnce(through: live.acknowledged)
            }
            live.stop()
            try copyOnce(through: live.acknowledged)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `is followed, until a signal comes`(signal: Int32) throws {
        let live = try LiveStore()
        let copy = live.directory.path("copy")
        let process = try Program("skyros").process([
            "backup", live.directory.store.path, "--into", copy, "--follow", "--json",
        ])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // Each line is written once the copy has that event.
        var text = Data()
        let wanted = live.acknowledged + 200
        var reached = 0
        while reached < wanted, process.isRunning {
            text += output.fileHandleForReading.availableData
            let line = String(decoding: text, as: UTF8.self).split(separator: "\n").last ?? ""
            if case .map(let object)? = try? FieldValue(json: String(line)) {
                reached = object["sequence"]?.integer.map { Int($0) } ?? reached
            }
        }
        #expect(reached >= wanted)
        live.stop()
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
        let verification = try Program("skyros").run("verify", copy)
        #expect(verification.status == 0, "\(verification.output)")
        #expect(try isClosed(copy))
        #expect(try live.lastEvent(of: copy) ?? 0 >= reached)
    }

    /// Whether the newest segment ends with a closing mark.
    private func isClosed(_ copy: String) throws -> Bool {
        let names = try FileManager.default.contentsOfDirectory(atPath: copy + "/events").sorted()
        let newest = try #require(names.last { $0.hasSuffix(".open") })
        let bytes = try Data(contentsOf: URL(filePath: copy + "/events/" + newest))
        return bytes.count > 48 && bytes[bytes.count - 48] == 0xB5 && bytes[bytes.count - 47] == 4
    }

    @Test func `has a copy that opens after a signal, and that the next run completes (F74)`()
        throws
    {
        var signalCount = 0
        for session in 0..<Extent.pick(brief: 1, quick: 1, deep: 10) {
            signalCount += try interruptBackups(
                Extent.pick(brief: 4, quick: 12, deep: 20), session)
        }
        #expect(signalCount > 0)
    }

    /// Interrupts backups of a store, one after the other; returns how many a signal has ended.
    private func interruptBackups(_ count: Int, _ session: Int) throws -> Int {
        let live = try LiveStore(level: "buffered")
        live.wait(events: 3_000)
        let copy = live.directory.path("copy")
        let tool = try Program("skyros")
        var signalCount = 0
        for round in session * count..<(session + 1) * count {
            let process = tool.process([
                "backup", live.directory.store.path, "--into", copy,
            ])
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            let events = copy + "/events"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: events)) ?? []
            while process.isRunning,
                (try? FileManager.default.contentsOfDirectory(atPath: events)) ?? [] == names
            {}
            Delay.spin(callCount: round * 997 % 5_000)
            kill(process.processIdentifier, [SIGINT, SIGKILL, SIGTERM][round % 3])
            process.waitUntilExit()
            if process.terminationReason == .uncaughtSignal { signalCount += 1 }
            let verification = try tool.run("verify", copy)
            let hasLog = !verification.errors.contains("notAStore")
            #expect(!hasLog || verification.status == 0, "\(verification.output)")
            live.wait(events: 50)
        }
        let before = live.acknowledged
        let outcome = try tool.run("backup", live.directory.store.path, "--into", copy)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try live.lastEvent(of: copy) ?? 0 >= before)
        live.stop()
        return signalCount
    }

    @Test func `is saved by salvage up to the moment`() throws {
        for _ in 0..<Extent.pick(brief: 1, quick: 1, deep: 5) {
            let live = try LiveStore()
            for round in 0..<Extent.pick(brief: 1, quick: 3, deep: 4) {
                live.wait(events: 40)
                let before = live.acknowledged
                let saved = live.directory.path("saved\(round)")
                let outcome = try Program("skyros").run(
                    "salvage", live.directory.store.path, "--into", saved)
                #expect(
                    outcome.status == 0 && outcome.output.hasPrefix("saved: "),
                    "\(outcome.output)")
                #expect(try live.lastEvent(of: saved) ?? 0 >= before)
            }
            live.stop()
        }
    }

    /// `cp` reads the files one after the other, in any order.
    @Test func `is copied by cp, or the error says what to copy again (F73)`() throws {
        for session in 0..<Extent.pick(brief: 2, quick: 2, deep: 40) {
            let live = try LiveStore(segmentBytes: [4 << 10, 16 << 20][session % 2])
            for round in 0..<Extent.pick(brief: 3, quick: 10, deep: 10) {
                live.wait(events: 7)
                let copy = live.directory.path("copy\(round)")
                let before = live.acknowledged
                let process = Process()
                process.executableURL = URL(filePath: "/bin/cp")
                process.arguments = ["-r", live.directory.store.path, copy]
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                let outcome = try live.open(copy)
                let text = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
                if let last = Int(text) {
                    #expect(last >= before)
                } else {
                    #expect(outcome.errors.contains("copy its events/ again"))
                }
                try FileManager.default.removeItem(atPath: copy)
            }
            live.stop()
        }
    }
}
