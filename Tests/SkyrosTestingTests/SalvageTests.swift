import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Item: Entity, Equatable {
    var id: Int
    var text = ""
    static let indexes: [Index<Item>] = [.on(\.text)]
}

/// Salvages of damaged stores with several sealed segments.
@Suite struct `A salvage` {
    private let disk = SimulatedDisk()
    private let clock = ManualClock()
    private let count: SequenceNumber = 40

    /// Small segments of small frames.
    private var options: LogOptions {
        var options = LogOptions()
        options.segmentBytesMax = 600
        options.frameBytes = 200
        return options
    }

    init() throws {
        let original = SimulatedDisk()
        let store = try Store(on: original, entities: Item.self, clock: clock)
        for id in 1...40 {
            clock.advance(byMicroseconds: 1_000)
            let metadata = Metadata(reason: "for \(id)", tags: ["n": "\(id)"])
            try store.write(by: "alice", metadata: metadata) { tx in
                try tx.insert(Item(id: id, text: "text \(id)"))
                if id > 3 { try tx.update(Item.self, id - 2) { $0.text += "!" } }
                if id % 5 == 0 { try tx.delete(Item.self, id - 4) }
            }
        }
        try store.close()
        // Written by a salvage, since only that takes log options.
        let archive = try Archive(on: Environment(disk: original), reading: .upToDamage)
        _ = try archive.salvage(onto: target(disk), options: options)
    }

    private func target(_ disk: SimulatedDisk) -> Environment {
        Environment(disk: disk, entropy: SeededEntropy(seed: 9))
    }

    private var names: [String] {
        disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
    }

    private func damaged(_ index: Int) throws -> Archive {
        let name = names[index]
        var bytes = try #require(disk.contents[name])
        bytes[150] ^= 4
        disk.overwrite(name, with: bytes)
        return try Archive(on: Environment(disk: disk), reading: .upToDamage)
    }

    /// Wherever the damage is: in a frame, the index, the seek table or the header.
    @Test func `is not needed to read as of what comes before the damage`() throws {
        let whole = try Archive(on: Environment(disk: disk))
        let moments: [SequenceNumber] = [2, 9, 17, 40]
        let digests = try moments.map { try whole.snapshot(asOf: .sequence($0)).digest() }
        let name = names[1]
        let bytes = try #require(disk.contents[name])
        for offset in stride(from: 0, to: bytes.count, by: 3) {
            let copy = disk.killed()
            var other = bytes
            other[offset] ^= 16
            copy.overwrite(name, with: other)
            let environment = Environment(disk: copy)
            let end = try Archive(on: environment, reading: .upToDamage).sequence
            for (moment, digest) in zip(moments, digests) where moment <= end {
                let archive = try Archive.reading(asOf: .sequence(moment), on: environment)
                let state = try archive.snapshot(asOf: .sequence(moment))
                #expect(try state.digest() == digest, "byte \(offset), event \(moment)")
            }
        }
    }

    @Test func `of an intact store has the same history`() throws {
        #expect(names.filter { $0.hasSuffix(".zst") }.count > 4)
        let copy = SimulatedDisk()
        let archive = try Archive(on: Environment(disk: disk), reading: .upToDamage)
        #expect(archive.damage?.isEmpty == true)
        let report = try archive.salvage(onto: target(copy))
        #expect(report.isComplete && report.sequence == count)
        #expect(report.digest == (try archive.snapshot().digest()))
        let store = try Store(on: copy, entities: Item.self, clock: clock)
        #expect(store.recovery.wasClean && store.recovery.sequence == count)
        try store.write { try $0.insert(Item(id: 1_000)) }
        #expect(store.sequence == count.next)
    }

    @Test func `keeps the events before the damage and their chain hash`() throws {
        let whole = try Archive(on: Environment(disk: disk.killed()))
        let archive = try damaged(2)
        let before = disk.contents
        let copy = SimulatedDisk()
        let report = try archive.salvage(onto: target(copy))
        #expect(disk.contents == before)
        #expect(report.sequence > .zero && report.sequence < count)
        #expect(report.sequence == archive.sequence && !report.isComplete)
        #expect(report.damages.map(\.segment) == [names[2]])
        #expect(report.damages.first?.sequences?.lowerBound == report.sequence.next)
        let saved = try Archive(on: Environment(disk: copy.crashed(seed: 1)))
        #expect(saved.sequence == report.sequence && saved.log.storeID == whole.log.storeID)
        var last = SequenceNumber.zero
        try saved.replay { event, state in
            let original = try whole.snapshot(asOf: .sequence(event.sequence))
            #expect(state.chainHash == original.chainHash)
            #expect(try state.digest() == original.digest())
            #expect(state.time == original.time)
            let twin = try #require(try whole.event(event.sequence))
            #expect(event.event == twin)
            last = event.sequence
            return true
        }
        #expect(last == report.sequence)
    }

    @Test func `leaves out the events after the damage, which can be read separately`() throws {
        let whole = try Archive(on: Environment(disk: disk.killed()))
        let archive = try damaged(2)
        let damage = try #require(archive.damage?.damages.first)
        let lost = try #require(damage.sequences)
        #expect(archive.damage?.readableAfterDamage == [lost.upperBound.next...count])
        var offered: [SequenceNumber] = []
        try archive.forEachReadableEvent { event in
            let twin = try whole.event(event.sequence)
            #expect(event == twin)
            offered.append(event.sequence)
            return true
        }
        #expect(offered.first == lost.upperBound.next && offered.last == count)
        #expect(Set(offered).count == offered.count)
        #expect(throws: StoreError(.noSuchEvent, "")) {
            try archive.snapshot(asOf: .sequence(lost.lowerBound))
        }
    }

    @Test func `is needed for a damaged store, which does not open by default`() throws {
        let name = try #require(names.last)
        var bytes = try #require(disk.contents[name])
        bytes[150] ^= 4
        disk.overwrite(name, with: bytes)
        #expect(code { _ = try Archive(on: Environment(disk: disk)) } == .logCorrupt)
        #expect(code { _ = try Store(on: disk, entities: Item.self) } == .logCorrupt)
        let archive = try Archive(on: Environment(disk: disk), reading: .upToDamage)
        #expect(try archive.snapshot().sequence == archive.sequence)
        #expect(try !archive.refresh())
        #expect(try archive.info().sequence == archive.sequence)
        #expect(code { _ = try archive.rebuildCheckpoint() } == .logCorrupt)
    }

    @Test func `reports the same damages as verify`() throws {
        let archive = try damaged(2)
        let first = archive.verify()
        let second = try Archive(on: Environment(disk: disk)).verify()
        #expect(!first.ok && first.damages == archive.damage?.damages)
        #expect(second.damages == first.damages && second.sequence == first.sequence)
        #expect(first.problems.count == 1 && first.otherProblems.isEmpty)
        #expect(first.digest == (try archive.snapshot().digest()))
    }

    @Test func `refuses a target that is not empty`() throws {
        let archive = try damaged(2)
        let taken = SimulatedDisk()
        taken.overwrite("notes.txt", with: [1])
        let before = taken.contents
        #expect(code { _ = try archive.salvage(onto: target(taken)) } == .invalidInput)
        #expect(taken.contents == before)
    }

    @Test func `that fills the disk leaves no files`() throws {
        let archive = try damaged(2)
        let whole = SimulatedDisk()
        _ = try archive.salvage(onto: target(whole), options: options)
        for step in 0..<whole.count(.write) {
            let copy = SimulatedDisk()
            copy.inject(Fault(.write, after: step, reason: .noSpace, writtenBytes: 100))
            let found = code { _ = try archive.salvage(onto: target(copy), options: options) }
            #expect(found == .diskFull, "write \(step)")
            #expect(copy.contents.isEmpty, "write \(step)")
        }
    }

    /// All operations on the target fail from one on, for each one; then the power is cut.
    @Test func `that is interrupted leaves the complete store or none`() throws {
        let archive = try damaged(2)
        let whole = SimulatedDisk()
        let report = try archive.salvage(onto: target(whole), options: options)
        for step in 0..<whole.operations.count {
            let copy = SimulatedDisk()
            copy.inject(Fault(nil, after: step, isLasting: true))
            let isDone = code { _ = try archive.salvage(onto: target(copy), options: options) }
            for seed in [1, 2] as [UInt64] {
                let left = Environment(disk: copy.crashed(seed: seed))
                let sequence = try? Archive(on: left).sequence
                #expect(
                    sequence == nil || sequence == report.sequence, "step \(step), seed \(seed)")
                if isDone == nil { #expect(sequence == report.sequence, "step \(step)") }
            }
        }
    }

    @Test func `ends before an event with a wrong sequence`() throws {
        let disk = SimulatedDisk()
        let entropy = SeededEntropy(seed: 1)
        let log = try FileLog.make(
            for: StoreID(from: entropy), on: disk, options, entropy: entropy,
            framing: EventCoding.byteCount(of:))
        let bytes = try encoded([1, 2, 4, 3])
        for (number, event) in bytes.enumerated() {
            try event.withUnsafeBytes {
                _ = try log.append($0, as: UInt64(number + 1), timeBefore: 0, deferring: false)
            }
        }
        try log.close()
        let archive = try Archive(on: Environment(disk: disk), reading: .upToDamage)
        let copy = SimulatedDisk()
        let report = try archive.salvage(onto: target(copy))
        #expect(report.sequence == 2)
        #expect(report.damages.map(\.code) == [.invalidEvent])
        #expect(report.damages.first?.sequences == 3...3)
        #expect(report.readableAfterDamage == [4...4])
        #expect(try report.digest == Archive(on: Environment(disk: copy)).snapshot().digest())
    }

    private func encoded(_ numbers: [UInt64]) throws -> [[UInt8]] {
        let scan = try Archive.scan(disk)
        return try numbers.map { number in
            var found: [UInt8] = []
            try scan.forEach(after: number - 1) { _, bytes in
                found = [UInt8](bytes)
                return false
            }
            return found
        }
    }
}
