import Foundation
import Skyros

/// The accounts of a bank, as one of its clerks works with them.
struct Ledger {
    let store: Store
    /// The actor of all events.
    let clerk: String

    static let commands: [any Command.Type] = [
        OpenAccount.self, Deposit.self, Transfer.self, Reverse.self,
    ]
}

extension Ledger {
    init(at url: URL, clerk: String) throws {
        let store = try Store(at: url, entities: Account.self, Posting.self)
        self.init(store: store, clerk: clerk)
    }

    func open(_ number: String, owner: String) throws {
        try store.perform(OpenAccount(number: number, owner: owner), by: clerk)
    }

    func deposit(_ cents: Int, to number: String) throws -> Int {
        try store.perform(Deposit(account: Ref(number), cents: cents), by: clerk)
    }

    func transfer(_ cents: Int, from: String, to: String, because reason: String) throws -> Int {
        try store.perform(
            Transfer(from: Ref(from), to: Ref(to), cents: cents), by: clerk, because: reason)
    }

    func accounts() throws -> [Account] {
        try store.all(Account.self, sortedBy: \.id)
    }

    func statement(of number: String) throws -> [Posting] {
        try store.all(Posting.self, where: \.account == Ref(number), sortedBy: \.number)
    }
}
