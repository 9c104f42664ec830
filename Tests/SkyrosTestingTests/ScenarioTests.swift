import Foundation
import Skyros
import SkyrosTesting
import Synchronization
import TestSupport
import Testing

private struct Account: Entity, Equatable {
    var id: Int
    var cents = 0
    var movedAt = Date(timeIntervalSince1970: 0)
}

private struct Posting: Entity, Equatable {
    var id: UUID
    var cents: Int
}

private enum Refusal: Error, Equatable { case overdrawn, closed }

private struct Transfer: Command {
    var from, to: Int
    var cents: Int
    var idempotencyKey: String?

    func run(_ tx: inout WriteTransaction) throws -> Int {
        let now = tx.now
        let left = try tx.update(Account.self, from) { account in
            guard account.cents >= cents else { throw Refusal.overdrawn }
            account.cents -= cents
            account.movedAt = now
            return account.cents
        }
        try tx.update(Account.self, to) { $0.cents += cents }
        return left
    }
}

private struct Post: Command {
    var cents: Int
    func run(_ tx: inout WriteTransaction) throws {
        if cents > 0 { try tx.insert(Posting(id: tx.newID(), cents: cents)) }
    }
}

private struct PostByChance: Command {
    func run(_ tx: inout WriteTransaction) throws { try tx.insert(Posting(id: UUID(), cents: 1)) }
}

/// Its ids become integers when a later version of it opens the store.
private struct Shifting: Entity {
    static let isLater = Atomic(false)
    static var evolution: Evolution<Shifting> {
        guard isLater.load(ordering: .relaxed) else { return [] }
        return [.version(2) { .retype("id", .textToInteger) }]
    }

    struct Key: Codable, Hashable {
        var number: Int

        init(_ number: Int) { self.number = number }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let integer = try? container.decode(Int.self)
            number = try integer ?? Int(container.decode(String.self)) ?? 0
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if Shifting.isLater.load(ordering: .relaxed) {
                try container.encode(number)
            } else {
                try container.encode("\(number)")
            }
        }
    }

    var id: Key
}

@Suite struct `A scenario` {
    private func scenario() throws -> Scenario {
        try Scenario(Account.self, Posting.self).given { tx in
            try tx.insert(Account(id: 1, cents: 100))
            try tx.insert(Account(id: 2))
        }
    }

    private func message(_ body: () throws -> Void) -> String? {
        failure(as: ScenarioFailure.self, body)?.description
    }

    @Test func `passes where what should happen has happened`() throws {
        let end = try scenario()
            .when(Transfer(from: 1, to: 2, cents: 500), by: "ada")
            .thenIsRefused(with: Refusal.overdrawn)
            .thenIsRefused()
            .when(Transfer(from: 1, to: 2, cents: 40), by: "ada", because: "rent")
            .then(returns: 60)
            .thenChanges((Account.self, 1), (Account.self, 2))
            .then("the money has arrived") { try $0.get(Account.self, 2)?.cents == 40 }
            .after(.seconds(3))
            .given(Post(cents: 1), Post(cents: 2))
            .when(Post(cents: 0))
            .thenNothingHappens()
            .thenIsAccepted()
        #expect(end.stateBefore.sequence == 4 && end.stateAfter.sequence == 5)
        #expect(try end.stateAfter.count(Posting.self) == 2)
        #expect(end.event?.sequence == 5 && end.command.cents == 0)
    }

    @Test func `has the metadata, the times and the ids of a store`() throws {
        let first = try scenario().when(
            Transfer(from: 1, to: 2, cents: 1), by: "ada", because: "rent",
            metadata: Metadata(correlation: "c"))
        #expect(first.event?.metadata.actor == "ada" && first.event?.metadata.reason == "rent")
        #expect(first.event?.metadata.correlation == "c")
        let second = try first.after(.milliseconds(1_500)).when(Transfer(from: 1, to: 2, cents: 1))
        let moved = try [first.stateAfter, second.stateAfter].map { state in
            try #require(try state.get(Account.self, 1)).movedAt
        }
        #expect(abs(moved[1].timeIntervalSince(moved[0]) - 1.5) < 0.001)
        let posts = try second.given(Post(cents: 1), Post(cents: 2)).when(Post(cents: 3))
        #expect(try posts.stateAfter.count(Posting.self) == 3)
    }

    @Test func `has no event for a repetition`() throws {
        let again = try scenario()
            .when(Transfer(from: 1, to: 2, cents: 40, idempotencyKey: "k"))
            .then(returns: 60)
            .when(Transfer(from: 1, to: 2, cents: 40, idempotencyKey: "k"))
            .then(returns: 60)
            .thenNothingHappens()
        #expect(again.event == nil)
    }

    @Test func `fails where a command is refused, and where it is not`() throws {
        let refused = try scenario().when(Transfer(from: 1, to: 2, cents: 500))
        for check in [
            { try $0.thenIsAccepted() }, { try $0.then(returns: 1) },
            { try $0.then("x") { _ in true } }, { try $0.thenNothingHappens() },
            { try $0.thenChanges((Account.self, 1)) },
        ] as [(Decision<Transfer>) throws -> Decision<Transfer>] {
            #expect(message { _ = try check(refused) }?.contains("is refused: overdrawn") == true)
        }
        #expect(
            message { try refused.thenIsRefused(with: Refusal.closed) }?
                .hasSuffix("is refused with overdrawn, not with closed") == true)
        #expect(failure(as: Refusal.self) { try refused.thenIsRefused { throw $0 } } == .overdrawn)
        let accepted = try scenario().when(Transfer(from: 1, to: 2, cents: 5))
        #expect(
            message { try accepted.thenIsRefused() }?
                .contains("is accepted, and should be refused\n") == true)
    }

    @Test func `fails where a command does something else`() throws {
        let decision = try scenario().when(Transfer(from: 1, to: 2, cents: 5))
        #expect(message { try decision.then(returns: 94) }?.hasSuffix("returns 95, not 94") == true)
        #expect(
            message { try decision.then("it is free") { _ in false } }?
                .contains("is accepted, and \"it is free\" does not hold\n") == true)
        #expect(
            message { try decision.thenChanges((Account.self, 2), (Account.self, 1)) }?
                .hasSuffix("changes Account 1, Account 2, not Account 2, Account 1") == true)
        #expect(
            message { try decision.thenNothingHappens() }?
                .contains("is accepted, and changes records\n") == true)
        let nothing = try scenario().when(Post(cents: 0))
        #expect(
            message { try nothing.thenChanges((Account.self, 1)) }?
                .hasSuffix("changes nothing, not Account 1") == true)
    }

    @Test func `fails where a command uses randomness`() throws {
        let text = message { try scenario().when(PostByChance()) } ?? ""
        #expect(text.hasPrefix("PostByChance does something else when it is executed again"))
        #expect(text.contains("It does not do the same twice."))
        #expect(message { try scenario().given(PostByChance()) } != nil)
    }

    @Test func `fails where the next opening gives another state`() throws {
        let scenario = try Scenario(Shifting.self)
            .given { try $0.insert(Shifting(id: Shifting.Key(1))) }
        let text = message {
            try scenario.given { tx in
                try tx.insert(Shifting(id: Shifting.Key(2)))
                Shifting.isLater.store(true, ordering: .relaxed)
            }
        }
        let start = "after the given block the store was opened again, and has another state: "
        #expect(text?.hasPrefix(start) == true, "\(text ?? "no failure")")
    }

    @Test func `fails where a record cannot be read`() throws {
        struct Odd: Entity {
            var id: Int
            var text = ""
            init(id: Int) { self.id = id }
            init(from decoder: any Decoder) throws { throw Refusal.closed }
        }
        #expect(throws: (any Error).self) {
            try Scenario(Odd.self).given { try $0.insert(Odd(id: 1)) }
        }
    }
}
