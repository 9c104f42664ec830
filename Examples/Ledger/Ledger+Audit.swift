import Foundation
import Skyros

extension Ledger {
    /// Whether no account is overdrawn.
    static func isSolvent(_ state: Snapshot) throws -> Bool {
        try state.first(Account.self, where: \.cents < 0) == nil
    }

    /// Whether each account has what its postings add up to.
    static func isBalanced(_ state: Snapshot) throws -> Bool {
        let sums = try state.sum(Posting.self, of: \.cents, groupedBy: \.account)
        return try state.all(Account.self).allSatisfy { $0.cents == sums[$0.ref] ?? 0 }
    }

    /// The event that overdrew an account; nil if none is overdrawn.
    func firstOverdraft() throws -> SequenceNumber? {
        try store.archive().bisect(Self.isSolvent).event?.sequence
    }

    /// What today's commands would do otherwise than they did.
    func audit() throws -> Reexecution {
        try store.archive().reexecute(Self.commands)
    }

    /// What the accounts would be if an event had not happened.
    func accounts(without sequence: SequenceNumber) throws -> WhatIfOutcome {
        try WhatIf(in: store.archive(), commands: Self.commands).skipping(sequence).run()
    }

    /// How an event was taken back.
    enum Correction {
        /// Its postings are deleted, and the balances are what they were.
        case undone
        /// Its accounts have changed since, so there are new postings against its own.
        case reversed
    }

    func takeBack(_ sequence: SequenceNumber, because reason: String) throws -> Correction {
        do {
            try store.undo(sequence, by: clerk, because: reason)
            return .undone
        } catch let error as StoreError where error.code == .conflict {
            let changes = try store.event(sequence)?.changes ?? []
            let postings = try changes.filter { $0.entity == Posting.entityName }
                .compactMap { try $0.id?.decode(as: Posting.ID.self) }
            try store.perform(Reverse(postings: postings), by: clerk, because: reason)
            return .reversed
        }
    }
}
