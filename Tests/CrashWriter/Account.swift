import Skyros

/// What the writer writes: event n has a fixed effect, so the state after it is known.
struct Account: Entity, Equatable {
    var id: UInt64
    var owner: String
    var balance: Int
    static let indexes: [Index<Account>] = [.on(\.owner), .unique(\.id)]
}

/// The same state in plain dictionaries.
struct Model {
    private(set) var accounts: [UInt64: Account] = [:]

    /// Event n: a new account, money moved between two older ones, and now and then a deletion.
    mutating func apply(_ number: UInt64) {
        let (from, to, gone) = Self.roles(number)
        accounts[number] = Account(id: number, owner: Self.owner(number), balance: 100)
        if accounts[from] != nil, accounts[to] != nil {
            accounts[from]?.balance -= Int(number % 7)
            accounts[to]?.balance += Int(number % 7)
        }
        if let gone { accounts[gone] = nil }
    }

    static func owner(_ number: UInt64) -> String {
        String(repeating: "owner-\(number % 13) ", count: Int(number % 5) + 1)
    }

    static func roles(_ number: UInt64) -> (from: UInt64, to: UInt64, gone: UInt64?) {
        let from = number > 3 ? number - 2 : 0
        let to = number > 9 ? number - number % 8 - 1 : 0
        return (from, to, number % 4 == 0 ? number / 2 : nil)
    }

    /// The same by a write block.
    static func write(_ number: UInt64, _ tx: inout WriteTransaction) throws {
        let (from, to, gone) = roles(number)
        try tx.insert(Account(id: number, owner: owner(number), balance: 100))
        if try tx.exists(Account.self, from), try tx.exists(Account.self, to) {
            try tx.update(Account.self, from) { $0.balance -= Int(number % 7) }
            try tx.update(Account.self, to) { $0.balance += Int(number % 7) }
        }
        if let gone { try tx.delete(Account.self, gone) }
    }
}
