import Testing

@testable import Skyros

@Suite struct `The steps of an actor` {
    private func event(
        _ sequence: UInt64, _ reason: String? = nil, correlation: String? = nil,
        changing field: String = "title"
    ) throws -> Event {
        let (before, after) = (FieldValue.integer(0), FieldValue.integer(1))
        return Event(
            sequence: SequenceNumber(rawValue: sequence), time: .zero,
            metadata: Metadata(reason: reason, correlation: correlation), intent: nil,
            changes: [
                .updated(
                    entity: "Card", id: RecordID(1),
                    before: try Fields(NamedValues([field: before])),
                    after: try Fields(NamedValues([field: after])))
            ])
    }

    private func steps(_ events: Event...) -> [[SequenceNumber]] {
        var steps = UndoSteps(UndoStack.Options())
        for event in events { steps.add(event) }
        return steps.undo.map(\.events)
    }

    @Test(arguments: ["group", nil])
    func `are not copied for each event of one`(correlation: String?) throws {
        var steps = UndoSteps(UndoStack.Options())
        var address: UnsafePointer<SequenceNumber>?
        var copyCount = 0
        for sequence in 1...1_000 as ClosedRange<UInt64> {
            steps.add(try event(sequence, correlation: correlation))
            let next = steps.undo[0].events.withUnsafeBufferPointer { $0.baseAddress }
            if next != address { copyCount += 1 }
            address = next
        }
        #expect(steps.undo.map(\.events.count) == [1_000])
        // The list grows by a factor.
        #expect(copyCount < 30)
    }

    /// One form of é has one scalar, the other has two.
    @Test func `are several if their texts differ by normalisation`() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let one = try steps(
            event(1, correlation: composed), event(2, correlation: decomposed),
            event(3, correlation: composed))
        #expect(one == [[2], [1, 3]])
        #expect(try steps(event(1, composed), event(2, decomposed)) == [[1], [2]])
        #expect(
            try steps(event(1, changing: composed), event(2, changing: decomposed)) == [[1], [2]])
        #expect(try steps(event(1, composed), event(2, composed)) == [[1, 2]])
    }

    @Test func `are dropped by the bytes of their correlations`() throws {
        var steps = UndoSteps(UndoStack.Options(), cut: ["caf\u{E9}"])
        #expect(steps.knows("caf\u{E9}") && !steps.knows("cafe\u{301}"))
        steps.add(try event(1, correlation: "caf\u{E9}"))
        steps.add(try event(2, correlation: "cafe\u{301}"))
        #expect(steps.undo.map(\.events) == [[2]])
        #expect(steps.knows("cafe\u{301}"))
    }
}
