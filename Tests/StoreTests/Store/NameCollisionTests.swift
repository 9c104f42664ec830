import Foundation
import Skyros
import Testing

// Names that Combine, RealityKit, Fluent, StoreKit or an app also declares. Unqualified names in
// this file mean these types.
private protocol Entity {}
private struct Record {}
private struct Event {}
private struct Fields {}
private struct Filter {}
private struct Index {}
private struct Store {}
private struct Receipt {}

private struct Line: Skyros.Entity {
    var id: Int
    var text: String
    static let indexes: [Skyros.Index<Line>] = [.on(\.text)]
}

@Suite struct `A name that another module also declares` {
    @Test func `can be qualified with the name of the module`() throws {
        _ = (Record(), Event(), Fields(), Filter(), Index(), Store(), Receipt())
        let store = try Skyros.Store(inMemory: Line.self)
        let receipt: Skyros.Receipt = try store.writeWithReceipt {
            try $0.insert(Line(id: 1, text: "a"))
        }.receipt
        let event: Skyros.Event = try #require(try store.event(receipt.sequence ?? 0))
        guard case .inserted(let record) = event.changes[0] else {
            Issue.record("no insertion")
            return
        }
        let found: Skyros.Record = record
        let fields: Skyros.Fields = found.fields
        #expect(fields["text"] == .text("a"))
        let filter: Skyros.Filter<Line> = \.text == "a"
        #expect(try store.count(Line.self, where: filter) == 1)
    }
}
