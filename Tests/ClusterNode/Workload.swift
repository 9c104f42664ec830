#if Postgres
    import Foundation
    import Skyros

    /// A list of values, to which nodes append.
    struct Basket: Entity {
        var id: Int
        var values: [String] = []
    }

    /// An account; all accounts together have a constant sum.
    struct Account: Entity {
        var id: Int
        var balance = Workload.balance
    }

    /// A value that is replaced by another one.
    struct Register: Entity {
        var id: Int
        var value: String
    }

    /// A record that is inserted once.
    struct Claim: Entity {
        var id: Int
        var owner: String
    }

    /// The operations of one thread of a node, by a seed.
    struct Workload: Sendable {
        static let balance = 100
        static let basketCount = 20
        static let accountCount = 10
        static let registerCount = 5
        static let claimCount = 4_096

        let store: Store
        let history: HistoryFile
        let node: String
        let thread: Int
        let mailbox: Mailbox

        /// Runs operations until a time.
        func run(until end: ContinuousClock.Instant, seed: UInt64) async {
            var random = SystemRandom(seed: seed)
            var number = 0
            while ContinuousClock.now < end {
                number += 1
                // A node that was killed comes back with another number of its process.
                let id = "\(node)-\(getpid())-\(thread)-\(number)"
                switch random.next() % 10 {
                case 0: await read(id, random.next())
                case 1: await readLatest(id, random.next())
                case 2: await readToken(id, mailbox.token(&random))
                default: await write(id, random.next())
                }
                // A node that may not write would fail as fast as it can.
                if !store.isWriter { try? await Task.sleep(for: .milliseconds(20)) }
            }
        }

        // MARK: Writing

        /// What a block does, with the number of a record that it does it to.
        private enum Action: String {
            case append, transfer, replace, claim
        }

        private func write(_ id: String, _ random: UInt64) async {
            let choice = random >> 8
            let index = Int(choice >> 8 & 0xFFFF)
            let (action, number) =
                switch choice & 3 {
                case 0: (Action.append, index % Self.basketCount)
                case 1: (.transfer, index % Self.accountCount)
                case 2: (.replace, index % Self.registerCount)
                default: (.claim, index % Self.claimCount)
                }
            var metadata = Metadata(actor: node)
            metadata.tags["op"] = id
            history.note(
                id, "invoke", ["op": "write", "kind": action.rawValue, "number": number])
            let block = { @Sendable (tx: inout WriteTransaction) in
                switch action {
                case .append: try Self.append(id, number, &tx)
                case .transfer: try Self.transfer(number, &tx)
                case .replace: try Self.replace(id, number, &tx)
                case .claim: try Self.claim(id, number, &tx)
                }
            }
            var isUnknown = false
            do {
                var found: [String: Any] = [:]
                let receipt: Receipt
                if choice & 0x30 == 0 {
                    // What it returns is not known if it is found to have been written before.
                    receipt = try await writeOnce(id, metadata, &isUnknown, block)
                } else {
                    let (value, proof) = try await store.writeWithReceipt(
                        metadata: metadata, block)
                    (found["value"], receipt) = (value, proof)
                }
                if let sequence = receipt.sequence {
                    mailbox.post(sequence)
                    found["sequence"] = sequence.rawValue
                }
                history.note(id, "ok", found)
            } catch {
                let code = (error as? StoreError)?.code
                history.note(
                    id, isUnknown || code == .outcomeUnknown ? "unknown" : "fail",
                    ["code": code?.name ?? "\(error)"])
            }
        }

        private static let attemptsMax = 4

        /// Writes again what has failed, with the same key.
        private func writeOnce(
            _ id: String, _ metadata: Metadata, _ isUnknown: inout Bool,
            _ block: @escaping @Sendable (inout WriteTransaction) throws -> String
        ) async throws -> Receipt {
            for _ in 1..<Self.attemptsMax {
                do {
                    return try await store.write(once: id, metadata: metadata) { tx in
                        _ = try block(&tx)
                    }
                } catch let error as StoreError
                    where [.alreadyOpen, .serverUnavailable, .outcomeUnknown].contains(error.code)
                {
                    if error.code == .outcomeUnknown { isUnknown = true }
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
            return try await store.write(once: id, metadata: metadata) { tx in _ = try block(&tx) }
        }

        private static func append(
            _ id: String, _ basket: Int, _ tx: inout WriteTransaction
        ) throws -> String {
            var basket = try tx.get(Basket.self, basket) ?? Basket(id: basket)
            if basket.values.count > 30 { basket.values = [] }
            basket.values.append(id)
            try tx.upsert(basket)
            return basket.values.joined(separator: ",")
        }

        /// From an account to the other one of its pair.
        private static func transfer(
            _ number: Int, _ tx: inout WriteTransaction
        ) throws -> String {
            var source = try tx.get(Account.self, number) ?? Account(id: number)
            var target = try tx.get(Account.self, number ^ 1) ?? Account(id: number ^ 1)
            source.balance -= 1
            target.balance += 1
            try tx.upsert(source)
            try tx.upsert(target)
            return "\(number)=\(source.balance),\(target.balance)"
        }

        private static func replace(
            _ id: String, _ register: Int, _ tx: inout WriteTransaction
        ) throws -> String {
            let former = try tx.get(Register.self, register)?.value ?? ""
            try tx.upsert(Register(id: register, value: id))
            return "\(register): \(former) -> \(id)"
        }

        private static func claim(
            _ id: String, _ number: Int, _ tx: inout WriteTransaction
        ) throws -> String {
            if let claim = try tx.get(Claim.self, number) { return "taken by \(claim.owner)" }
            try tx.insert(Claim(id: number, owner: id))
            return "claimed"
        }

        // MARK: Reading

        private func read(_ id: String, _ random: UInt64) async {
            history.note(id, "invoke", ["op": "read"])
            note(id, store.snapshot, random)
        }

        private func readLatest(_ id: String, _ random: UInt64) async {
            history.note(id, "invoke", ["op": "latest"])
            do {
                note(id, try await store.readLatest(), random)
            } catch {
                history.note(
                    id, "fail", ["code": (error as? StoreError)?.code.name ?? "\(error)"])
            }
        }

        /// Reads after what another node has written.
        private func readToken(_ id: String, _ token: SequenceNumber?) async {
            guard let token else { return }
            history.note(id, "invoke", ["op": "token", "token": token.rawValue])
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await store.wait(for: token) }
                    group.addTask {
                        try await Task.sleep(for: .seconds(5))
                        throw CancellationError()
                    }
                    try await group.next()
                    group.cancelAll()
                }
                note(id, store.snapshot, token.rawValue)
            } catch {
                history.note(id, "fail", ["code": (error as? StoreError)?.code.name ?? "late"])
            }
        }

        private func note(_ id: String, _ state: Snapshot, _ random: UInt64) {
            do {
                let basket = Int(random % UInt64(Self.basketCount))
                let values = try state.get(Basket.self, basket)?.values ?? []
                let accounts = try state.all(Account.self)
                let moved = accounts.reduce(0) { $0 + $1.balance - Self.balance }
                history.note(
                    id, "ok",
                    [
                        "sequence": state.sequence.rawValue, "basket": basket,
                        "value": values.joined(separator: ","), "moved": moved,
                        "digest": random % 8 == 0 ? "\(try state.digest())" : "",
                    ])
            } catch {
                history.note(id, "fail", ["code": "\(error)"])
            }
        }
    }

    /// SplitMix64, by Steele, Lea and Flood.
    struct SystemRandom: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
#endif
