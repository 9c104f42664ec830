import Foundation
import Skyros
import SkyrosTesting
import Testing

private struct Account: Entity {
    var id: String
    var balance: Int
}

@Suite final class `A replay` {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "skyros-replay-\(UUID().uuidString)")
        let store = try Store(at: directory, entities: Account.self)
        try store.write(by: "alice") { try $0.insert(Account(id: "a", balance: 10)) }
        try store.write(by: "bob", because: "a mistake") { tx in
            try tx.update(Account.self, "a") { $0.balance = -5 }
        }
        try store.write(by: "carol") { try $0.update(Account.self, "a") { $0.balance = 5 } }
        try store.close()
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    @Test func `passes if every condition holds`() throws {
        let result = try Replay(of: directory, entities: Account.self)
            .checking("there is at most one account") { state, _ in
                try state.count(Account.self) <= 1
            }
            .run()
        #expect(result.sequence == 3)
        #expect(try result.state.get(Account.self, "a")?.balance == 5)
        try Replay(of: directory, entities: Account.self).expecting(digest: result.digest).run()
    }

    @Test func `names the first event that breaks an invariant`() throws {
        do {
            try Replay(of: directory, entities: Account.self)
                .checking("no account is overdrawn") { state, _ in
                    try state.count(Account.self, where: \.balance < 0) == 0
                }
                .run()
            Issue.record("event 2 breaks it")
        } catch let failure as ReplayFailure {
            #expect(failure.event?.sequence == 2)
            #expect(failure.problem == "\"no account is overdrawn\" does not hold")
            for part in ["event 2", "bob", "a mistake", "{\"balance\":10}", "{\"balance\":-5}"] {
                #expect(failure.description.contains(part))
            }
        }
    }

    @Test func `cannot end at an event that does not exist`() throws {
        for last: SequenceNumber in [4, 999] {
            #expect(throws: StoreError(.noSuchEvent, "")) {
                try Replay(of: directory, entities: Account.self).through(last).run()
            }
        }
        let archive = try Archive(at: directory)
        #expect(throws: StoreError(.noSuchEvent, "")) {
            try archive.replay(through: 4) { _, _ in true }
        }
        #expect(throws: StoreError(.noSuchEvent, "")) {
            try archive.snapshot(asOf: .sequence(4))
        }
        #expect(try Replay(of: directory, entities: Account.self).through(3).run().sequence == 3)
        #expect(try archive.snapshot(asOf: .date(.distantFuture)).sequence == 3)
    }

    @Test func `can end at an earlier event`() throws {
        try Replay(of: directory, entities: Account.self)
            .checking("no account is overdrawn") { state, _ in
                try state.count(Account.self, where: \.balance < 0) == 0
            }
            .through(1).run()
    }

    @Test func `fails if the digest differs from the recorded one (F64)`() throws {
        let digest = String(repeating: "0", count: 32)
        let failure = #expect(throws: ReplayFailure.self) {
            try Replay(of: directory, entities: Account.self).expecting(digest: digest).run()
        }
        #expect(failure?.event == nil)
        let problem = try #require(failure?.problem)
        #expect(problem.hasPrefix("the digest after the last event, 3, is "))
        #expect(problem.contains("compared at the end only"))
        #expect(failure?.description == problem)
    }

    @Test func `fails if a type cannot decode its records any more (F58)`() throws {
        struct Renamed: Entity {
            var id: String
            var amount: Int
            static let entityName = "Account"
        }
        do {
            try Replay(of: directory, entities: Renamed.self).run()
            Issue.record("the field is missing")
        } catch let failure as ReplayFailure {
            #expect(failure.event?.sequence == 1)
            #expect(failure.problem.contains("does not decode"))
        }
    }

    @Test func `needs the types of all entities, unless unknown ones are ignored`() throws {
        struct Other: Entity { var id: Int }
        #expect(throws: ReplayFailure.self) {
            try Replay(of: directory, entities: Other.self).run()
        }
        let result = try Replay(of: directory, entities: Other.self).ignoringUnknownEntities().run()
        #expect(result.sequence == 3)
    }

    @Test func `fails if an invariant throws`() throws {
        struct Refusal: Error {}
        #expect(throws: ReplayFailure.self) {
            try Replay(of: directory, entities: Account.self)
                .checking("throws") { _, _ in throw Refusal() }.run()
        }
    }
}
