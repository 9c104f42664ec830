import Skyros

/// The app as it was released first. An app has its newest commands only; this one is here to write
/// the stores that its users have.
enum Release1 {
    struct Transfer: Command {
        static let commandName = "Transfer"
        static let feeCents = 25
        var from, to: Ref<Account>
        var cents: Int

        func run(_ tx: inout WriteTransaction) throws -> Int {
            guard cents > 0 else { throw Refusal.notPositive }
            guard from != to else { throw Refusal.sameAccount }
            // The bug: the fee is forgotten.
            guard try tx.require(from).cents >= cents else { throw Refusal.overdrawn }
            try tx.post(-cents, to: from, "to \(to.id)")
            try tx.post(cents, to: to, "from \(from.id)")
            return try tx.post(-Self.feeCents, to: from, "fee")
        }
    }

    static let owners = [
        "Ada Lovelace", "Charles Babbage", "Mary Shelley", "Emily Brontë", "George Eliot",
        "Jane Austen",
    ]

    /// Thirty days of the bank, with five transfers a day. Two of them empty an account.
    static func writeMonth(to store: Store) throws {
        let accounts = owners.indices.map { Ref<Account>("A\($0 + 1)") }
        for (account, owner) in zip(accounts, owners) {
            try store.perform(OpenAccount(number: account.id, owner: owner), by: "grace")
            try store.perform(Deposit(account: account, cents: 50_000), by: "grace")
        }
        for day in 1...30 {
            for step in 0..<5 {
                let from = accounts[(day * 5 + step * 3) % accounts.count]
                let to = accounts[(day + step * 2 + 1) % accounts.count]
                guard from != to, let balance = try store.get(from)?.cents, balance > 0 else {
                    continue
                }
                let isEmptied = step == 4 && (day == 11 || day == 30)
                let cents = isEmptied ? balance : Swift.max(1, balance / (7 + step))
                try store.perform(
                    Transfer(from: from, to: to, cents: cents),
                    by: step.isMultiple(of: 2) ? "grace" : "alan", because: "day \(day)")
            }
        }
    }
}
