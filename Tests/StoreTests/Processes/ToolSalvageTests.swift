import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// `skyros verify` and `skyros salvage` on a damaged store, run as processes.
@Suite struct `A damaged store` {
    private let directory: TemporaryDirectory
    private let tool: Program
    /// The segments' names, in order; the last one is open.
    private let names: [String]

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Program("skyros")
        let original = directory.url.appending(path: "Original.skyros")
        let store = try Store(at: original, entities: Note.self)
        for id in 1...30 {
            try store.write(by: "alice") { try $0.insert(Note(id: id, text: "note \(id)")) }
        }
        try store.close()
        // Only a salvage takes log options: it cuts the log into small segments.
        var options = LogOptions()
        options.segmentBytesMax = 600
        options.frameBytes = 200
        let disk = try PosixDisk(path: directory.store.path, creating: true)
        _ = try Archive(at: original, reading: .upToDamage)
            .salvage(onto: Environment(disk: disk), options: options)
        let again = try Store(at: directory.store, entities: Note.self)
        try again.close()
        try FileManager.default.removeItem(at: original)
        names = try FileManager.default
            .contentsOfDirectory(atPath: directory.store.appending(path: "events").path).sorted()
    }

    private func segment(_ index: Int) -> URL {
        directory.store.appending(path: "events/\(names[index])")
    }

    private func flip(_ index: Int, at offset: Int) throws {
        var bytes = try Data(contentsOf: segment(index))
        bytes[offset] ^= 1
        try bytes.write(to: segment(index))
    }

    private func first(_ index: Int) throws -> Int {
        try #require(Int(names[index].prefix(20)))
    }

    private func run(_ command: String, _ arguments: String...) throws -> Program.Outcome {
        try tool.run([command, directory.store.path] + arguments)
    }

    private func path(_ name: String) -> String { directory.url.appending(path: name).path }

    private var stateDigest: String {
        get throws {
            try Archive(at: directory.store, reading: .upToDamage).snapshot().digest().description
        }
    }

    @Test func `is reported damage by damage`() throws {
        // The first byte after the header's frame, and a missing segment.
        try flip(1, at: 120)
        try FileManager.default.removeItem(at: segment(3))
        let damages = try #require(
            try Archive(at: directory.store, reading: .upToDamage).damage?.damages)
        let lost = try #require(damages.first?.sequences)
        let saved = try first(1) - 1
        let outcome = try run("verify")
        #expect(outcome.status == 1)
        let message = try #require(damages.first?.message)
        let missing = "\(try first(3)) to \(try first(4) - 1)"
        #expect(
            outcome.output == """
                problem: the log can be read to event \(saved) only, so the checkpoint at event 30 \
                was not compared
                damaged: events/\(names[1]) at byte 104, frame 1: events \(lost.lowerBound) to \
                \(lost.upperBound): \(message)
                damaged: events/\(names[3]): events \(missing): no segment holds these events; \
                restore the file that does
                damaged: \(saved) events, digest \(try stateDigest)

                """)
        #expect(outcome.errors.isEmpty)
    }

    @Test func `is reported in JSON`() throws {
        try flip(1, at: 120)
        let outcome = try run("verify", "--json")
        #expect(outcome.status == 1)
        let report = try FieldValue(json: outcome.output)
        #expect(report["ok"] == false)
        #expect(report["sequence"]?.integer == (try first(1) - 1))
        #expect(report["problems"]?[0]?.text?.hasPrefix("logCorrupt: ") == true)
        #expect(report["damages"]?[1] == nil && report["tornTail"] == nil)
        let damage = try #require(report["damages"]?[0])
        #expect(damage["code"] == "logCorrupt")
        #expect(damage["segment"] == .text("events/\(names[1])"))
        #expect(damage["offset"] == 104 && damage["frame"] == 1)
        #expect(damage["from"]?.integer == (try first(1)))
        #expect((damage["to"]?.integer ?? 0) >= (try first(1)))
        #expect(damage["isBelowDurable"] == true)
        #expect(damage["isReadable"] == false && damage["isOpenEnded"] == false)
    }

    @Test func `with a damaged checkpoint reports both and can be salvaged`() throws {
        try flip(1, at: 120)
        let checkpoint = directory.store.appending(path: "checkpoint.sqlite")
        try Data("rubbish".utf8).write(to: checkpoint)
        let report = try FieldValue(json: try run("verify", "--json").output)
        #expect(report["problems"]?[0]?.text?.hasPrefix("logCorrupt: ") == true)
        #expect(report["problems"]?[1]?.text?.hasPrefix("checkpointFailed: ") == true)
        #expect(report["problems"]?[2] == nil)
        #expect(try run("salvage", "--into", path("Saved.skyros")).status == 0)
        #expect(try tool.run("verify", path("Saved.skyros")).status == 0)
    }

    @Test func `is not one with a torn tail, which is reported`() throws {
        let last = names.count - 1
        var bytes = try Data(contentsOf: segment(last))
        let end = bytes.count
        bytes += Data(repeating: 7, count: 60)
        try bytes.write(to: segment(last))
        let outcome = try run("verify")
        #expect(outcome.status == 0)
        #expect(
            outcome.output.hasPrefix(
                "torn: events/\(names[last]) at byte \(end): event 31 and later: "
                    + "60 bytes at the end never became a whole event "
                    + "(above the durable watermark)\nok: 30 events, digest "))
    }

    @Test func `is salvaged into a new store with the events before the damage`() throws {
        try flip(1, at: 120)
        let before = try directory.contents()
        let outcome = try run(
            "salvage", "--into", path("Saved.skyros"), "--after-gap", path("rest.jsonl"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let after = try directory.contents().filter { $0.key.hasPrefix("Test.skyros") }
        #expect(after == before)
        let damage = try #require(
            try Archive(at: directory.store, reading: .upToDamage).damage)
        let lost = try #require(damage.damages.first?.sequences)
        #expect(
            outcome.output == """
                damaged: events/\(names[1]) at byte 104, frame 1: events \(lost.lowerBound) to \
                \(lost.upperBound): \(damage.damages[0].message)
                after the damage: events \(lost.upperBound.next) to 30, written to \
                \(path("rest.jsonl"))
                saved: \(try first(1) - 1) events, digest \(try stateDigest)

                """)
        let verified = try tool.run("verify", path("Saved.skyros"))
        #expect(
            verified.output
                == "ok: \(try first(1) - 1) events, digest \(try stateDigest)\n")
        let store = try Store(at: URL(filePath: path("Saved.skyros")), entities: Note.self)
        #expect(store.recovery.wasClean)
        try store.close()
        try expectRest(from: Int(lost.upperBound.rawValue) + 1)
    }

    /// Checks that the file holds the events in the format of `skyros log --json`.
    private func expectRest(from first: Int) throws {
        let text = try String(contentsOfFile: path("rest.jsonl"), encoding: .utf8)
        let events = try text.split(separator: "\n").map { try FieldValue(json: String($0)) }
        #expect(events.map { $0["sequence"]?.integer } == Array(first...30))
        for (number, event) in zip(first...30, events) {
            #expect(event["actor"] == "alice" && event["time"]?.text?.hasSuffix("Z") == true)
            #expect(event["changes"]?[0]?["after"]?["text"] == .text("note \(number)"))
        }
    }

    @Test func `is salvaged to a directory that has another path beside it`() throws {
        try flip(1, at: 120)
        try FileManager.default.createSymbolicLink(
            atPath: path("link"), withDestinationPath: directory.path)
        let outcome = try run(
            "salvage", "--into", path("link/Saved.skyros"), "--after-gap", path("rest.jsonl"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let damage = try #require(
            try Archive(at: directory.store, reading: .upToDamage).damage?.damages.first)
        try expectRest(from: Int(try #require(damage.sequences).upperBound.rawValue) + 1)
    }

    @Test func `is salvaged with the events that can be decoded after one that cannot`() throws {
        let source = try Archive.scan(PosixDisk(path: directory.store.path, creating: false))
        let disk = try PosixDisk(path: path("Odd.skyros"), creating: true)
        let log = try FileLog.make(
            for: source.storeID, on: disk, LogOptions(), entropy: SeededEntropy(seed: 1),
            framing: EventCoding.byteCount(of:))
        for (index, sequence) in ([1, 2, 4, 3, 5] as [UInt64]).enumerated() {
            try source.forEach(after: sequence - 1) { _, bytes in
                let number = UInt64(index + 1)
                _ = try log.append(bytes, as: number, timeBefore: 0, deferring: false)
                return false
            }
        }
        try log.close()
        let outcome = try tool.run(
            "salvage", path("Odd.skyros"), "--into", path("Saved.skyros"), "--after-gap",
            path("rest.jsonl"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("after the damage: events 4 to 5, written to "))
        #expect(outcome.output.contains("saved: 2 events, "))
        #expect(
            outcome.errors
                == "skyros: note: event 4 is not valid: it says that it is event 3; "
                + "it is not in the file\n")
        let text = try String(contentsOfFile: path("rest.jsonl"), encoding: .utf8)
        let events = try text.split(separator: "\n").map { try FieldValue(json: String($0)) }
        #expect(events.map { $0["sequence"] } == [5])
    }

    @Test func `is salvaged with a report in JSON`() throws {
        try flip(1, at: 120)
        let outcome = try run("salvage", "--into", path("Saved.skyros"), "--json")
        #expect(outcome.status == 0)
        let report = try FieldValue(json: outcome.output)
        #expect(report["sequence"]?.integer == (try first(1) - 1))
        #expect(report["digest"] == .text(try stateDigest))
        #expect(report["isComplete"] == false)
        #expect(report["damages"]?[0]?["offset"] == 104)
        #expect(report["afterGap"]?[0]?["to"] == 30)
    }

    @Test func `is salvaged only into a new directory outside the damaged store`() throws {
        try flip(1, at: 120)
        let before = try directory.contents()
        let full = path("full")
        try FileManager.default.createDirectory(
            atPath: full, withIntermediateDirectories: false)
        try Data([1]).write(to: URL(filePath: "\(full)/mine"))
        for (arguments, status, error) in [
            (["--into", full], 1, "the directory is not empty"),
            (["--into", directory.store.path], 1, "is in the damaged store"),
            (["--into", directory.store.path + "/new"], 1, "is in the damaged store"),
            ([], 2, "salvage needs --into"), (["more", "--into", "x"], 2, "takes no argument"),
            (
                ["--into", path("Saved"), "--after-gap", directory.store.path + "/rest"], 2,
                "outside both stores"
            ),
            (["--into", path("Saved"), "--after-gap", "\(full)/mine"], 1, "exists already"),
        ] {
            let outcome = try tool.run(["salvage", directory.store.path] + arguments)
            #expect(outcome.status == Int32(status), "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains(error), "\(arguments): \(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
        let nowhere = try tool.run("salvage", full, "--into", path("Saved"))
        #expect(nowhere.status == 1 && nowhere.errors.contains("notAStore"))
        try FileManager.default.removeItem(atPath: full)
        #expect(try directory.contents() == before)
        #expect(!FileManager.default.fileExists(atPath: path("Saved")))
    }

    @Test func `is explained in the help`() throws {
        #expect(try tool.run("help").output.contains("When a store is damaged: `verify`"))
        #expect(try tool.run("salvage", "--help").output.contains("--after-gap FILE"))
    }
}
