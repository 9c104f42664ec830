import Foundation
import Skyros
import TestSupport
import Testing

@testable import SkyrosTool

private struct Texts: Projection {
    var count = 0

    mutating func apply(_ event: AppliedEvent) throws {
        guard event.sequence < 3 else { throw CocoaError(.formatting) }
        count += 1
    }
}

private struct Total: Projection {
    static let projectionVersion = 4
    var count = 0

    mutating func apply(_ event: AppliedEvent) { count += 1 }
}

@Suite struct `skyros info of read models` {
    private let store: ToolStore

    init() throws {
        var options = Store.Options()
        options.projections = [Texts.self, Total.self]
        store = try ToolStore([Note.self], options: options) { store in
            for id in 1...3 { try store.write { try $0.insert(Note(id: id, text: "note")) } }
            try store.setPosition(ofSubscription: "mail", to: 2)
            try store.setPosition(ofSubscription: "search", to: 3, keepingHistory: false)
        }
    }

    @Test func `lists projections and subscriptions`() throws {
        let outcome = try store.run("info")
        #expect(outcome.status == 0, "\(outcome.errors)")
        for part in [
            "Total 4, at event 3", "Texts 1, at event 2, has stopped before event 3: ",
            "mail, has handled event 2, keeps the events after it",
            "search, has handled event 3, does not keep the events after it",
        ] {
            #expect(outcome.output.contains(part), "\(part): \(outcome.output)")
        }
        let json = try FieldValue(json: try store.run("info", "--json").output)
        #expect(json["subscriptions"]?["mail"]?["sequence"] == .integer(2))
        #expect(json["subscriptions"]?["search"]?["keepsHistory"] == .bool(false))
        guard case .array(let projections) = json["projections"] else {
            Issue.record("\(json)")
            return
        }
        #expect(projections.map { $0["failedAt"] } == [.integer(3), nil])
        #expect(projections.map { $0["sequence"] } == [.integer(2), .integer(3)])
    }

    @Test func `says which position is damaged`() throws {
        let file = store.directory.store.appending(path: "subscriptions/mail.position")
        try Data("Skyros subscription 1\n".utf8).write(to: file)
        let outcome = try store.run("info")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("mail, whose position is damaged"))
        // What would go is not known then.
        let plan = try store.run("prune", "--before", "2100-01-01")
        #expect(plan.status == 1 && plan.errors.contains("mail"), "\(plan.errors)")
    }
}
