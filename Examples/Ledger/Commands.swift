import Foundation
import Skyros

/// Why a command is refused.
enum Refusal: Error {
    case notPositive, sameAccount, overdrawn
}

struct OpenAccount: Command {
    var number: String
    var owner: String

    func run(_ tx: inout WriteTransaction) throws {
        try tx.insert(Account(id: number, owner: owner))
    }
}

struct Deposit: Command {
    var account: Ref<Account>
    var cents: Int

    /// Returns the new balance.
    func run(_ tx: inout WriteTransaction) throws -> Int {
        guard cents > 0 else { throw Refusal.notPositive }
        return try tx.post(cents, to: account, "deposit")
    }
}

struct Transfer: Command {
    static let feeCents = 25
    var from, to: Ref<Account>
    var cents: Int

    /// Returns what is left.
    func run(_ tx: inout WriteTransaction) throws -> Int {
        guard cents > 0 else { throw Refusal.notPositive }
        guard from != to else { throw Refusal.sameAccount }
        guard try tx.require(from).cents >= cents + Self.feeCents else { throw Refusal.overdrawn }
        try tx.post(-cents, to: from, "to \(to.id)")
        try tx.post(cents, to: to, "from \(from.id)")
        return try tx.post(-Self.feeCents, to: from, "fee")
    }
}

/// Posts the opposite of earlier postings.
struct Reverse: Command {
    var postings: [UUID]

    func run(_ tx: inout WriteTransaction) throws {
        for id in postings {
            let posting = try tx.require(Ref<Posting>(id))
            try tx.post(-posting.cents, to: posting.account, "reversal: \(posting.text)")
        }
    }
}

extension WriteTransaction {
    /// Adds to an account, and returns its new balance. The time and the id are those of the event,
    /// so the command does the same when it is executed again.
    @discardableResult
    mutating func post(_ cents: Int, to account: Ref<Account>, _ text: String) throws -> Int {
        let changed = try update(Account.self, account.id) { account in
            account.cents += cents
            account.postingCount += 1
            return account
        }
        try insert(
            Posting(
                id: newID(), account: account, number: changed.postingCount, cents: cents,
                text: text, date: now))
        return changed.cents
    }
}
