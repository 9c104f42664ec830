import TestSupport
import Testing

@testable import Skyros

@Suite struct `An undo stack that reads the newest events only` {
    private let store: Store

    init() throws {
        store = try SharedStore.inMemory(DraftCard.self)
        try store.write { try $0.insert(DraftCard(id: 1, title: "0")) }
    }

    /// A stack of a process that begins now.
    private func stack(reading eventsMax: Int = 2) -> UndoStack {
        var options = UndoStack.Options()
        options.eventsMax = eventsMax
        return UndoStack(store, actor: "ann", options: options)
    }

    private func edit(_ title: String) throws {
        try store.write(metadata: Metadata(actor: "ann", correlation: "g")) { tx in
            try tx.update(DraftCard.self, 1) { $0.title = title }
        }
    }

    @Test(arguments: [false, true])
    func `has no edit of a group that was taken back before`(isRedone: Bool) throws {
        try edit("1")
        try stack().undo()
        if isRedone { try stack().redo() }
        try edit("2")
        try edit("3")
        let near = stack()
        #expect(try near.undoSteps.first?.events == stack(reading: 100).undoSteps.first?.events)
        try near.undo()
        #expect(try store.get(DraftCard.self, 1)?.title == (isRedone ? "1" : "0"))
    }
}
