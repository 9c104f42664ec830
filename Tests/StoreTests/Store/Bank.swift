import SkyrosDisk
import SkyrosTesting

@testable import Skyros

/// A store for tests of other courses, with its records and commands.
struct Bank {
    static let commands: [any Command.Type] = [OpenAccount.self, Transfer.self, Close.self]

    let disk = SimulatedDisk()

    func log(_ write: (Store) throws -> Void) throws -> Archive {
        let store = try Store(on: disk, entities: Account.self)
        try write(store)
        try store.close()
        return try archive([Account.self])
    }

    func archive(_ entities: [any Entity.Type]) throws -> Archive {
        try Archive(
            on: Environment(disk: disk, entropy: SeededEntropy(seed: 3)), entities: entities)
    }

    /// Two accounts with 10, then 1 → 2: 4, 2 → 1: 12, 1 → 2: 1; so 17 and 3.
    func transfers(_ store: Store) throws {
        for id in 1...2 { try store.perform(OpenAccount(id: id)) }
        try store.perform(Transfer(from: 1, to: 2, cents: 4), by: "ada")
        try store.perform(Transfer(from: 2, to: 1, cents: 12), by: "bob")
        try store.perform(Transfer(from: 1, to: 2, cents: 1), by: "ada")
    }

    func cents(_ state: Snapshot) throws -> [Int] {
        try state.all(Account.self, sortedBy: \.id).map(\.cents)
    }

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
