import Foundation
import TestSupport
import Testing

@testable import Skyros

/// What a run is made of, read from the bytes of events, is what their decoding gives.
@Suite(.long) struct `The outline of an event` {
    /// What a run has of an event.
    private struct Part: Equatable {
        var keys: [HistoryKey] = []
        var versions: [RecordVersion] = []
        var labels: [HistoryKey: [UInt64]] = [:]

        init(_ versions: borrowing RunVersions, _ labels: RunLabels) {
            let (order, groups) = versions.sorted()
            for group in groups {
                for place in order[group] {
                    keys.append(versions.key(at: place))
                    self.versions.append(versions.version(at: place))
                }
            }
            labels.forEach { self.labels[$0] = $1 }
        }
    }

    private let insertion: NamedValues<FieldValue> = ["entity": "E", "id": 1, "after": ["a": 1]]

    private func bytes(
        _ fields: NamedValues<FieldValue>, _ changes: [NamedValues<FieldValue>]
    ) throws -> [UInt8] {
        let plain: NamedValues<FieldValue> = [
            "sequence": 1, "time": 5, "changes": .array(changes.map { .map($0) }),
        ]
        return try Fields(plain.merging(fields) { $1 }).bytes
    }

    private func isUsual(_ bytes: [UInt8], _ outline: inout EventOutline) -> Bool {
        bytes.withUnsafeBytes { outline.read($0, expecting: 1) }
    }

    private func isUsual(
        _ fields: NamedValues<FieldValue>, _ changes: [NamedValues<FieldValue>]
    ) throws -> Bool {
        var outline = EventOutline()
        return isUsual(try bytes(fields, changes), &outline)
    }

    @Test func `is read only of events that change each record once`() throws {
        let other = insertion.merging(["id": 2]) { $1 }
        #expect(try isUsual([:], [insertion]))
        #expect(try isUsual(["actor": "ada", "tags": ["a": "b"]], [insertion, other]))
        #expect(try isUsual(["intent": ["name": "Do", "value": 7]], [insertion]))
        let performed: FieldValue = [
            "name": "Do", "value": 7, "version": 2, "result": .null,
            "ids": .bytes(Data(repeating: 3, count: 32)),
        ]
        #expect(try isUsual(["intent": performed], [insertion]))
        for fields: NamedValues<FieldValue> in [
            ["key": "k"], ["+x": 1], ["x": 1], ["sequence": 2], ["sequence": .null],
            ["schema": ["E": ["version": 2]]], ["actor": 1],
            ["intent": ["name": "Do", "value": 7, "+why": 1]], ["intent": ["name": "Do"]],
            ["intent": ["name": "Do", "value": 7, "version": 1]],
        ] {
            #expect(try !isUsual(fields, [insertion]))
        }
        #expect(try !isUsual([:], []))
        #expect(try !isUsual([:], [insertion, other, insertion]))
        #expect(try !isUsual([:], [["entity": "E", "cleared": 1]]))
        for more: NamedValues<FieldValue> in [
            ["version": 1], ["version": 65_536], ["formerVersion": 2], ["+evolved": ["a"]],
            ["entity": ""], ["after": 1], ["cleared": 1], ["x": 1],
        ] {
            #expect(try !isUsual([:], [insertion.merging(more) { $1 }]))
        }
        #expect(try !isUsual([:], [insertion, ["entity": "", "id": 2, "after": [:]]]))
        for name in ["entity", "id", "after"] {
            var change = insertion
            change[name] = nil
            #expect(try !isUsual([:], [change]))
        }
    }

    @Test(arguments: [[0x61, 0xFF], [0x61, 0xFE]] as [[UInt8]])
    func `is not read of text that is not UTF-8`(text: [UInt8]) throws {
        for place in ["entity", "actor"] {
            var change = insertion
            if place == "entity" { change["entity"] = "zz" }
            var event = try bytes(place == "actor" ? ["actor": "zz"] : [:], [change])
            let start = try #require(
                event.indices.first { event[$0...].starts(with: [0x62, 0x7A, 0x7A]) })
            event.replaceSubrange(start + 1..<start + 3, with: text)
            var outline = EventOutline()
            #expect(!isUsual(event, &outline))
        }
    }

    /// First a value that is not valid, and then one that is.
    @Test(
        arguments: [
            ("entity", [0x61, 0xFF], [0x61, 0x45]), ("version", [1], [3]),
            ("formerVersion", [0], [2]),
        ] as [(String, [UInt8], [UInt8])])
    func `is not read of a change that says something twice`(
        key: String, first: [UInt8], second: [UInt8]
    ) throws {
        let update = insertion.merging(["before": ["a": 2]]) { $1 }
        var change = update
        change[key] = nil
        let plain = try Fields(change).bytes
        var event = try bytes([:], [change])
        let start = try #require(event.indices.first { event[$0...].starts(with: plain) })
        var twice = CBORWriter()
        twice.appendMapHead(change.count + 2)
        twice.append(raw: Array(plain.dropFirst()))
        for value in [first, second] {
            twice.append(text: key)
            twice.append(raw: value)
        }
        event.replaceSubrange(start..<start + plain.count, with: twice.array)
        var outline = EventOutline()
        #expect(!isUsual(event, &outline))
        #expect(throws: StoreError.self) {
            try event.withUnsafeBytes { try EventCoding.event(from: $0, expecting: 1) }
        }
    }

    @Test(arguments: 0..<Extent.pick(brief: 20, quick: 200, deep: 2_000))
    func `gives what decoding gives`(seed: Int) throws {
        var random = RandomSource(seed: UInt64(seed))
        var outline = EventOutline()
        var read = RunVersions()
        var wanted = RunVersions()
        var (readLabels, wantedLabels) = (RunLabels(), RunLabels())
        var (usualCount, keys): (Int, Set<HistoryKey>) = (0, [])
        for _ in 0..<20 {
            var event = try randomEvent(&random)
            if random.below(3) == 0 {
                event[random.below(event.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            try event.withUnsafeBytes { bytes in
                let isUsual = outline.read(bytes, expecting: 1)
                guard isUsual || (try? EventCoding.event(from: bytes, expecting: 1)) != nil else {
                    return
                }
                let decoded = try EventCoding.event(from: bytes, expecting: 1)
                keys.formUnion(RecordVersion.list(of: decoded).map(\.key))
                wanted.append(decoded)
                wantedLabels.append(decoded)
                if isUsual {
                    usualCount += 1
                    #expect(outline.time == decoded.time)
                    read.append(outline, 1, in: bytes)
                    readLabels.append(outline, 1, in: bytes)
                } else {
                    read.append(decoded)
                    readLabels.append(decoded)
                }
            }
        }
        #expect(usualCount >= 5)
        let part = Part(read, readLabels)
        #expect(part == Part(wanted, wantedLabels))
        #expect(Set(part.keys) == keys)
    }

    private func randomEvent(_ random: inout RandomSource) throws -> [UInt8] {
        var fields: NamedValues<FieldValue> = [:]
        for name in ["actor", "reason", "causation", "correlation"] where random.below(3) == 0 {
            fields[name] = .text(random.text())
        }
        if random.below(3) == 0 { fields["occurredAt"] = .integer(Int128(random.integer())) }
        if random.below(3) == 0 { fields["tags"] = ["a": .text(random.text()), "b": "c"] }
        if random.below(3) == 0 { fields["intent"] = ["name": .text(random.text()), "value": 1] }
        if random.below(8) == 0 { fields["reason"] = .text(String(repeating: "long", count: 80)) }
        let changes = (0...random.below(3)).map { _ in
            var change: NamedValues<FieldValue> = [
                "entity": .text(["E", "E", "F", "É"][random.below(4)])
            ]
            change["id"] =
                random.below(2) == 0 ? .integer(Int128(random.below(9))) : .text(random.text())
            let kind = random.below(3)
            if kind != 0 { change["before"] = ["a": .text(random.text())] }
            if kind != 1 { change["after"] = ["a": .text(random.text())] }
            if random.below(4) == 0 { change["version"] = 3 }
            if kind == 2, random.below(4) == 0 { change["formerVersion"] = 2 }
            return change
        }
        return try bytes(fields, changes)
    }
}
