import Foundation
import Skyros
import TestSupport
import Testing

// The code of the article Keeping history; `GuideTests` compares the two.

private struct Order: Entity {
    var id = UUID()
    var totalCents: Int
}

@Suite struct `The guide to keeping history` {
    @Test func `keep and prune`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.store
        var options = Store.Options()
        options.retention = .keep(.days(90))
        let store = try Store(at: url, entities: Order.self, options: options)
        try store.write { try $0.insert(Order(totalCents: 1)) }
        let newYear = Date(timeIntervalSince1970: 1_767_225_600)
        if let report = try store.prune(before: newYear, by: "ada", because: "closed year") {
            print("events \(report.events) went, \(report.removedBytes) bytes")
        }
        if let floor = try store.floor {
            print("kept since \(floor.time), \(floor.reason ?? "-")")
        }
        #expect(try store.floor == nil && store.firstSequence == 1)
        try store.close()
    }
}
