#if !SKYROS_COMPARE
    public import Skyros

    /// A card of an account, which nothing keeps from losing it.
    public struct Card: Entity {
        public let id: Int
        public var account: Int
        public var owner: String
    }

    /// A payment, whose number should be no other's.
    public struct Payment: Entity {
        public let id: Int
        public var number: Int
        public var cents: Int
    }

    /// A bank with a fault at one event.
    public enum Fault: String, CaseIterable, Sendable {
        /// A transfer takes more than there is.
        case overdraft
        /// An account is deleted that has a card.
        case orphan
        /// A payment has the number of another one.
        case duplicate

        /// A query whose answer has rows after the fault.
        public var query: String {
            switch self {
            case .overdraft: "SELECT id FROM Account WHERE cents < 0"
            case .orphan: "SELECT id FROM Card WHERE account NOT IN (SELECT id FROM Account)"
            case .duplicate: "SELECT number FROM Payment GROUP BY number HAVING count(*) > 1"
            }
        }

        public static let types: [any Entity.Type] = [
            Account.self, Card.self, Payment.self,
        ]
        /// The number of accounts that have transfers. One more has a card only.
        private static let accountCount = 10_000

        /// Writes the events of a bank, the one at `faulty` with the fault.
        ///
        /// Every hundredth event is a payment, or each of them for the fault of payments.
        public func write(_ count: Int, faulty: Int, to store: Store) throws {
            let accounts = Self.accountCount
            try store.write { tx in
                try tx.insert((0...accounts).map { Account(id: $0, cents: 100_000) })
                try tx.insert(
                    (0...accounts).map { Card(id: $0, account: $0, owner: "owner \($0)") })
            }
            for index in 1..<count {
                let account = Generator.read(index, of: accounts)
                if index == faulty {
                    try write(at: index, account, to: store)
                } else if self == .duplicate || index.isMultiple(of: 100) {
                    try store.write(by: "clerk \(index % 7)") { tx in
                        try tx.insert(Payment(id: index, number: index, cents: 5))
                    }
                } else {
                    // There and back again, so that nobody runs out of money.
                    let other = (account + 1) % accounts
                    let isBack = index.isMultiple(of: 2)
                    try store.perform(
                        Transfer(
                            from: isBack ? other : account, to: isBack ? account : other, cents: 1),
                        by: "clerk \(index % 7)")
                }
            }
        }

        private func write(at index: Int, _ account: Int, to store: Store) throws {
            switch self {
            case .overdraft:
                let other = (account + 1) % Self.accountCount
                try store.perform(
                    Transfer(from: account, to: other, cents: 500_000), by: "clerk of the fault")
            case .orphan:
                try store.write(by: "clerk of the fault") { tx in
                    try tx.delete(Account.self, Self.accountCount)
                }
            case .duplicate:
                try store.write(by: "clerk of the fault") { tx in
                    try tx.insert(Payment(id: index, number: index / 2, cents: 5))
                }
            }
        }
    }
#endif
