import Skyros

/// The entity that the writer writes. Event n has a fixed effect, so the state after it is known.
struct Account: Entity, Equatable {
    var id: UInt64
    var owner: String
    var balance: Int
    static let indexes: [Index<Account>] = [.on(\.owner), .unique(\.id)]
}

/// A model of the store's state: a dictionary.
struct Model {
    private(set) var accounts: [UInt64: Account] = [:]

    /// Event n: a new account, a transfer between two older ones, and sometimes a deletion.
    mutating func apply(_ number: UInt64) {
        let (from, to, deleted) = Self.roles(number)
        accounts[number] = Account(id: number, owner: Self.owner(number), balance: 100)
        if accounts[from] != nil, accounts[to] != nil {
            accounts[from]?.balance -= Int(number % 7)
            accounts[to]?.balance += Int(number % 7)
        }
        if let deleted { accounts[deleted] = nil }
    }

    static func owner(_ number: UInt64) -> String {
        String(repeating: "owner-\(number % 13) ", count: Int(number % 5) + 1)
    }

    static func roles(_ number: UInt64) -> (from: UInt64, to: UInt64, deleted: UInt64?) {
        let from = number > 3 ? number - 2 : 0
        let to = number > 9 ? number - number % 8 - 1 : 0
        return (from, to, number % 4 == 0 ? number / 2 : nil)
    }

    /// Event n as a write block.
    static func write(_ number: UInt64, _ tx: inout WriteTransaction) throws {
        let (from, to, deleted) = roles(number)
        try tx.insert(Account(id: number, owner: owner(number), balance: 100))
        if try tx.exists(Account.self, from), try tx.exists(Account.self, to) {
            try tx.update(Account.self, from) { $0.balance -= Int(number % 7) }
            try tx.update(Account.self, to) { $0.balance += Int(number % 7) }
        }
        if let deleted { try tx.delete(Account.self, deleted) }
    }
}
