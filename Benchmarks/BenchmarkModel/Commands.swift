#if !SKYROS_COMPARE
    public import Skyros

    /// An account of a bank.
    public struct Account: Entity, Equatable {
        public let id: Int
        public var cents: Int

        public init(id: Int, cents: Int) {
            self.id = id
            self.cents = cents
        }
    }

    /// Moves money from one account to another: two records and a result.
    public struct Transfer: Command {
        public var from, to: Int
        public var cents: Int

        public init(from: Int, to: Int, cents: Int) {
            self.from = from
            self.to = to
            self.cents = cents
        }

        public func run(_ tx: inout WriteTransaction) throws -> Int {
            try tx.update(Account.self, to) { $0.cents += cents }
            return try tx.update(Account.self, from) { account in
                account.cents -= cents
                return account.cents
            }
        }
    }

    /// Pays into one account: one record and no result.
    public struct Deposit: Command {
        public var account: Int
        public var cents: Int

        public init(account: Int, cents: Int) {
            self.account = account
            self.cents = cents
        }

        public func run(_ tx: inout WriteTransaction) throws {
            try tx.update(Account.self, account) { $0.cents += cents }
        }
    }
#endif
