import Foundation
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The undo of an actor` {
    private let disk = SimulatedDisk()
    private let clock = ManualClock()
    private var store: Store
    private var undo: UndoStack

    init() throws {
        store = try Store(on: disk, entities: DraftCard.self, Board.self, clock: clock)
        undo = UndoStack(store, actor: "ann")
    }

    private func insert(_ id: Int, by actor: String = "ann") throws {
        try store.write(by: actor, because: "card \(id)") { try $0.insert(DraftCard(id: id)) }
    }

    private func type(_ title: String, in id: Int = 1, by actor: String = "ann") throws {
        try store.write(by: actor) { try $0.update(DraftCard.self, id) { $0.title = title } }
    }

    private var ids: [Int] { get throws { try store.all(DraftCard.self).map(\.id) } }

    private var title: String? { get throws { try store.get(DraftCard.self, 1)?.title } }

    @Test func `takes back one edit after the other, and brings them back`() throws {
        #expect(!undo.canUndo && !undo.canRedo)
        for id in 1...3 { try insert(id) }
        #expect(undo.canUndo && !undo.canRedo)
        #expect(undo.undoName == "card 3")
        #expect(try undo.undoPlan().changes.map(\.kind) == [.deleted])
        try undo.undo()
        try undo.undo()
        #expect(try ids == [1])
        #expect(undo.undoName == "card 1")
        #expect(undo.redoName == "card 2")
        #expect(try undo.redoPlan().changes.map(\.kind) == [.inserted])
        try undo.redo()
        try undo.redo()
        #expect(try ids == [1, 2, 3])
        #expect(undo.redoName == nil)
        for _ in 1...3 { try undo.undo() }
        #expect(try ids == [])
        #expect(!undo.canUndo)
        #expect(code { try undo.undo() } == .nothingToUndo)
        for _ in 1...3 { try undo.redo() }
        #expect(try ids == [1, 2, 3])
        #expect(code { try undo.redo() } == .nothingToUndo)
    }

    @Test func `goes back and forth over edits of one record`() throws {
        try insert(1)
        for title in ["a", "b", "c"] {
            clock.advance(byMicroseconds: 5_000_000)
            try type(title)
        }
        for title in ["b", "a", nil] {
            try undo.undo()
            #expect(try self.title == title)
        }
        for title in ["a", "b", "c"] {
            try undo.redo()
            #expect(try self.title == title)
        }
        for title in ["b", "a"] {
            try undo.undo()
            #expect(try self.title == title)
        }
        #expect(try undo.undoSteps.count == 2)
        #expect(try undo.redoSteps.count == 2)
    }

    @Test func `writes ordinary events that say what they are`() throws {
        try insert(1)
        try undo.undo()
        try undo.redo(because: "back again", metadata: Metadata(tags: ["a": "b"]))
        let events = try Array(store.events(2...3))
        #expect(events.map(\.metadata.actor) == ["ann", "ann"])
        #expect(events.map(\.metadata.reason) == ["undo: card 1", "back again"])
        #expect(events.map { $0.undo?.step } == [.undo, .redo])
        #expect(events.map { $0.undo?.ranges } == [[1...1], [2...2]])
        #expect(events[1].metadata.tags["a"] == "b")
    }

    @Test func `is cleared of its redo by a new edit, and not by those of others`() throws {
        try insert(1)
        try insert(2)
        try undo.undo()
        try insert(3, by: "bob")
        #expect(undo.canRedo)
        #expect(undo.undoName == "card 1")
        try insert(4)
        #expect(!undo.canRedo)
        try undo.undo()
        try undo.undo()
        #expect(try ids == [3])
    }

    @Test func `takes an undo that was not its own for an edit`() throws {
        try insert(1)
        try insert(2)
        try store.undo(1, by: "ann", because: "direct")
        #expect(undo.undoName == "direct")
        try undo.undo()
        #expect(try ids == [1, 2])
    }

    @Test mutating func `is the same after a relaunch`() throws {
        for id in 1...4 { try insert(id) }
        try undo.group("both") {
            try type("x", in: 1)
            try type("x", in: 2)
        }
        try undo.undo()
        try undo.undo()
        let (steps, redo) = try (undo.undoSteps, undo.redoSteps)
        try store.close()
        store = try Store(on: disk, entities: DraftCard.self, Board.self, clock: clock)
        undo = UndoStack(store, actor: "ann")
        #expect(try undo.undoSteps.map(\.events) == steps.map(\.events))
        #expect(try undo.redoSteps == redo)
        #expect(try undo.undoSteps == steps)
        try undo.redo()
        try undo.redo()
        #expect(try store.get(DraftCard.self, 2)?.title == "x")
        #expect(try ids == [1, 2, 3, 4])
    }

    @Test func `takes no two edits together that are all of time apart`() throws {
        try insert(1)
        for title in ["a", "b"] { try type(title) }
        let edits = try Array(store.events(2...3))
        #expect(try undo.undoSteps.count == 2)
        var steps = UndoSteps(UndoStack.Options())
        for (event, time) in zip(edits, [Int64.min, .max]) {
            steps.add(
                Event(
                    sequence: event.sequence, time: EventTime(microseconds: time),
                    metadata: event.metadata, intent: nil, changes: event.changes))
        }
        #expect(steps.undo.count == 2)
    }

    // MARK: Groups and typing

    @Test func `takes a group back as one step`() throws {
        try insert(1)
        try undo.group("two") {
            try store.write { try $0.insert(DraftCard(id: 2)) }
            try insert(9, by: "bob")
            try undo.group("inner") { try store.write { try $0.insert(DraftCard(id: 3)) } }
        }
        #expect(undo.undoName == "two")
        #expect(try undo.undoSteps.map(\.events) == [[2, 4], [1]])
        try undo.undo()
        #expect(try ids == [1, 9])
        try undo.redo()
        #expect(try ids == [1, 2, 3, 9])
    }

    @Test func `takes an asynchronous group back as one step`() async throws {
        await undo.group("two") {
            for id in 2...3 { try? await store.write { try $0.insert(DraftCard(id: id)) } }
        }
        try undo.undo()
        #expect(try ids == [])
        #expect(!undo.canUndo)
    }

    @Test func `makes one step of a correlation, also around other edits`() throws {
        func write(_ id: Int, _ correlation: String?) throws {
            try store.write(by: "ann", metadata: Metadata(correlation: correlation)) {
                try $0.insert(DraftCard(id: id))
            }
        }
        try write(1, "c")
        try write(2, nil)
        try write(3, "c")
        #expect(try undo.undoSteps.map(\.events) == [[1, 3], [2]])
    }

    @Test func `takes typing back as one step`() throws {
        try insert(1)
        for title in ["a", "ab", "abc"] {
            clock.advance(byMicroseconds: 1_000_000)
            try type(title)
        }
        #expect(try undo.undoSteps.map(\.events) == [[2, 3, 4], [1]])
        try undo.undo()
        #expect(try title == nil)
        try undo.redo()
        #expect(try title == "abc")
        // What follows a redo is a new step.
        try type("abcd")
        try undo.undo()
        #expect(try title == "abc")
    }

    @Test func `begins a new step after a pause, in another field, record or kind`() throws {
        try insert(1)
        try insert(2)
        try type("a")
        clock.advance(byMicroseconds: 1_100_000)
        try type("b")
        try store.write(by: "ann") { try $0.update(DraftCard.self, 1) { $0.column = 1 } }
        try type("c", in: 2)
        try type("d", in: 2)
        try store.write(by: "ann", because: "other") { tx in
            try tx.update(DraftCard.self, 2) { $0.title = "e" }
        }
        let names = try undo.undoSteps.map(\.name)
        #expect(
            try undo.undoSteps.map(\.events) == [[8], [6, 7], [5], [4], [3], [2], [1]])
        #expect(names.prefix(2) == ["other", "Change DraftCard"])
    }

    @Test func `is interrupted by others' typing only where they change the same record`() throws {
        try insert(1)
        try insert(2, by: "bob")
        try type("a")
        try type("x", in: 2, by: "bob")
        try type("ab")
        #expect(try undo.undoSteps.map(\.events) == [[3, 5], [1]])
        #expect(try undo.undo().conflicts.isEmpty)
        #expect(try title == nil)
    }

    // MARK: Edits of others

    @Test func `lists the edits of others to the same records, and keeps the step`() throws {
        try insert(1)
        try type("a")
        try type("b", by: "bob")
        let error = failure(as: StoreError.self) { try undo.undo() }
        #expect(error?.code == .conflict)
        #expect(error?.undoConflicts.map(\.events) == [[3]])
        #expect(try undo.undoSteps.map(\.events) == [[2], [1]])
        #expect(try undo.undoPlan().isRefused)
        #expect(try undo.undo(resolving: .skip).changeCount == 0)
        // It has changed nothing, so there is nothing to redo.
        #expect(!undo.canRedo)
        #expect(try undo.undoSteps.map(\.events) == [[1]])
        try undo.undo(resolving: .restore)
        #expect(try ids == [])
        try undo.redo()
        #expect(try title == "b")
    }

    // MARK: Limits

    @Test func `keeps the newest steps, and reads the newest events`() throws {
        var options = UndoStack.Options()
        options.stepsMax = 3
        let few = UndoStack(store, actor: "ann", options: options)
        for id in 1...5 { try insert(id) }
        #expect(try few.undoSteps.map(\.events) == [[5], [4], [3]])
        options.stepsMax = 0
        #expect(!UndoStack(store, actor: "ann", options: options).canUndo)
        options.stepsMax = -1
        #expect(!UndoStack(store, actor: "ann", options: options).canUndo)
        options.stepsMax = 100
        options.eventsMax = 2
        let near = UndoStack(store, actor: "ann", options: options)
        #expect(try near.undoSteps.map(\.events) == [[5], [4]])
        try near.undo()
        try near.undo()
        #expect(try ids == [1, 2, 3])
        // What was undone before the events that are read can be redone.
        let later = UndoStack(store, actor: "ann", options: options)
        #expect(try later.redoSteps.map(\.events) == [[7], [6]])
        #expect(later.redoName == "card 4")
    }

    @Test func `without an interval takes back each edit`() throws {
        var options = UndoStack.Options()
        options.typingInterval = .zero
        try insert(1)
        try type("a")
        try type("b")
        let single = UndoStack(store, actor: "ann", options: options)
        #expect(try single.undoSteps.map(\.events) == [[3], [2], [1]])
        options.typingInterval = .seconds(Int64.max)
        let endless = UndoStack(store, actor: "ann", options: options)
        #expect(try endless.undoSteps.map(\.events) == [[2, 3], [1]])
    }

    @Test func `is empty after the store was emptied`() throws {
        try insert(1)
        #expect(undo.canUndo)
        try store.nuke()
        #expect(!undo.canUndo)
        try insert(2)
        #expect(try undo.undoSteps.map(\.events) == [[1]])
    }

    @Test func `ignores events that change no record`() throws {
        struct Asked: DomainCommand {}
        try insert(1)
        try undo.undo()
        try store.write(by: "ann", intent: Asked()) { _ in }
        #expect(undo.canRedo)
    }

    @Test func `may be used by several threads`() throws {
        for id in 1...40 { try insert(id) }
        let stack = undo
        inParallel(40, threads: 4) { _ in _ = try? stack.undo() }
        #expect(try ids == [])
        #expect(try undo.redoSteps.count == 40)
    }

    @Test func `takes back a group that began before what is read`() throws {
        let metadata = Metadata(actor: "ann", correlation: "g")
        for id in 1...3 {
            try store.write(metadata: metadata) { try $0.insert(DraftCard(id: id)) }
            for other in 1...5 { try insert(10 * id + other, by: "bob") }
        }
        var options = UndoStack.Options()
        options.eventsMax = 6
        let later = UndoStack(store, actor: "ann", options: options)
        #expect(try later.undoSteps.map(\.events) == [[1, 7, 13]])
        try later.undo()
        #expect(try ids.allSatisfy { $0 > 10 })
    }

    @Test func `has no part of a step that was dropped`() throws {
        let metadata = Metadata(actor: "ann", correlation: "g")
        var options = UndoStack.Options()
        options.stepsMax = 2
        let few = UndoStack(store, actor: "ann", options: options)
        try store.write(metadata: metadata) { try $0.insert(DraftCard(id: 1)) }
        for id in 2...3 { try insert(id) }
        #expect(try few.undoSteps.map(\.events) == [[3], [2]])
        try store.write(metadata: metadata) { try $0.insert(DraftCard(id: 4)) }
        #expect(try few.undoSteps.map(\.events) == [[3], [2]])
    }

    @Test func `drops steps whose events were pruned`() throws {
        var options = Store.Options()
        options.segmentBytesMax = 200
        let store = try Store(
            on: SimulatedDisk(), entities: DraftCard.self, options: options, clock: clock)
        let undo = UndoStack(store, actor: "ann")
        for id in 1...9 {
            try store.write(by: "ann") { try $0.insert(DraftCard(id: id)) }
            clock.advance(byMicroseconds: 5_000_000)
        }
        #expect(try undo.undoSteps.count == 9)
        #expect(try store.prune(before: store.snapshot.time.date.addingTimeInterval(1)) != nil)
        let kept = Int(store.sequence.rawValue - store.firstSequence.rawValue) + 1
        #expect(try undo.undoSteps.count == kept && kept < 9)
    }

    @Test func `makes no step of what is left of a group that was pruned`() throws {
        var options = Store.Options()
        options.segmentBytesMax = 200
        let store = try Store(
            on: SimulatedDisk(), entities: DraftCard.self, options: options, clock: clock)
        let undo = UndoStack(store, actor: "ann")
        func insert(_ ids: ClosedRange<Int>) throws {
            for id in ids {
                try store.write(by: "ann") { try $0.insert(DraftCard(id: id)) }
                clock.advance(byMicroseconds: 5_000_000)
            }
        }
        try undo.group { try insert(1...9) }
        let group = try #require(try store.event(9)?.metadata.correlation)
        #expect(try store.prune(before: store.snapshot.time.date.addingTimeInterval(1)) != nil)
        #expect((2...9).contains(store.firstSequence))
        for _ in 0..<2 {
            #expect(try undo.undoSteps.isEmpty)
            // As another process sees it.
            #expect(try UndoStack(store, actor: "ann").undoSteps.isEmpty)
            let error = failure(as: StoreError.self) { _ = try store.undo(.correlation(group)) }
            #expect(error?.code == .belowFloor)
            #expect(error?.message.contains(group) == true)
            // The next floor is before the end of the group, too, or there is none.
            _ = try store.prune(before: #require(try store.event(9)).time.date)
        }
        try insert(10...30)
        #expect(try store.prune(before: store.snapshot.time.date.addingTimeInterval(1)) != nil)
        #expect(store.firstSequence > 9)
        let error = failure(as: StoreError.self) { _ = try store.undo(.correlation(group)) }
        #expect(error?.code == .noSuchEvent)
        #expect(error?.message.contains("where the log begins") == true)
        let steps = try UndoStack(store, actor: "ann").undoSteps
        #expect(steps.count == Int(store.sequence.rawValue - store.firstSequence.rawValue) + 1)
    }
}
