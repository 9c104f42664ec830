import Skyros

/// The records and commands of tests of other courses.
enum Bank {
    struct Account: Entity, Equatable {
        var id: Int
        var cents = 0
        var owner = "-"
        static let indexes: [Index<Account>] = [.unique(\.owner)]
    }

    struct Refusal: Error, Equatable {}

    struct OpenAccount: Command {
        var id: Int

        func run(_ tx: inout WriteTransaction) throws {
            try tx.insert(Account(id: id, cents: 10, owner: "owner \(id)"))
        }
    }

    struct Transfer: Command, Equatable {
        var from, to: Int
        var cents: Int

        func run(_ tx: inout WriteTransaction) throws -> Int {
            try tx.update(Account.self, to) { $0.cents += cents }
            return try tx.update(Account.self, from) { account in
                guard account.cents >= cents else { throw Refusal() }
                account.cents -= cents
                return account.cents
            }
        }
    }

    struct Close: Command {
        var id: Int
        func run(_ tx: inout WriteTransaction) throws { try tx.delete(Account.self, id) }
    }
}
