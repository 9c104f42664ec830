import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// What a write block of a node must know of the events before it, although the log cannot be read
/// that far yet.
@Suite(.mayHang) struct `An event that is staged on a node` {
    private let store: Store

    init() throws {
        var options = Store.Options()
        // Nothing sends it in the background.
        options.syncInterval = .seconds(3_600)
        store = try SimulatedNodes().store(
            "one", .automatic, on: SimulatedDisk(), options, pollMilliseconds: 3_600_000)
        try store.write(
            by: "ann", metadata: Metadata(correlation: "c"), Self.insert(1))
        let request = try store.request(
            "ann", nil, Metadata(correlation: "c", tags: ["course": "x"]), nil, nil)
        var receipt = Receipt(nil, request.durability, nil)
        try store.withWriterLock { try store.commit(request, &receipt, Self.insert(2)) }
    }

    private static func insert(_ id: Int) -> @Sendable (inout WriteTransaction) throws -> Void {
        { try $0.insert(Note(id: id, text: "")) }
    }

    private var ids: [Int] { get throws { try store.all(Note.self).map(\.id) } }

    @Test func `is not seen by readers`() throws {
        #expect(store.sequence == 1 && store.session.newest.sequence == 2)
        #expect(try ids == [1])
    }

    @Test func `is the last step of its actor, or a part of it`() throws {
        let undo = UndoStack(store, actor: "ann")
        #expect(try undo.undoSteps.map(\.events) == [[1]])
        // The log has the event before the step is chosen.
        try undo.undo()
        #expect(try ids == [])
        #expect(try store.event(3)?.undo?.ranges == [1...2])
        try undo.redo()
        #expect(try ids == [1, 2])
    }

    @Test func `is undone with the others of its correlation`() throws {
        let result = try store.undo(.correlation("c"))
        #expect(result.events == [1...2])
        #expect(try ids == [])
    }

    @Test func `is found by a condition of a write`() throws {
        #expect(throws: StoreError(.conflict, "")) {
            try store.write(expecting: .noEvent(tags: ["course": "x"], since: 1), Self.insert(3))
        }
        try store.write(expecting: .noEvent(tags: ["course": "y"], since: 1), Self.insert(3))
        #expect(try ids == [1, 2, 3])
    }
}
