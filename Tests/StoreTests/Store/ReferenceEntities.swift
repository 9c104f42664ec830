import Foundation
import Skyros
import Synchronization

/// An entity with a number that can be changed in place.
protocol ReferenceEntity: Entity where ID == Int {
    var amount: Int { get set }
    init(id: Int, amount: Int)
}

/// Entities through which code outside of the store could reach what the store holds.
enum ReferenceEntities {
    static let all: [any ReferenceEntity.Type] = [
        Account.self, LockedAccount.self, Wallet.self, Labelled.self, Wrapped.self, Cased.self,
        Nested<Purse>.self, Listed.self, Hooking.self, Plain.self,
    ]

    /// A class without a lock. The unchecked is what these tests are about.
    final class Account: ReferenceEntity, @unchecked Sendable {
        let id: Int
        var amount: Int

        init(id: Int, amount: Int) {
            self.id = id
            self.amount = amount
        }
    }

    /// A class with a lock.
    final class LockedAccount: ReferenceEntity, Sendable {
        let id: Int
        private let state: Mutex<Int>

        var amount: Int {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        init(id: Int, amount: Int) {
            self.id = id
            state = Mutex(amount)
        }

        convenience init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            try self.init(
                id: container.decode(Int.self, forKey: .id),
                amount: container.decode(Int.self, forKey: .amount))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            try container.encode(amount, forKey: .amount)
        }

        private enum Keys: CodingKey { case id, amount }
    }

    // Unchecked and without a lock, as an app may write it.
    final class Purse: Codable, @unchecked Sendable {
        var coins: Int
        init(coins: Int) { self.coins = coins }
    }

    /// A struct that holds a class.
    struct Wallet: ReferenceEntity {
        let id: Int
        let purse: Purse

        var amount: Int {
            get { purse.coins }
            nonmutating set { purse.coins = newValue }
        }

        init(id: Int, amount: Int) {
            self.id = id
            purse = Purse(coins: amount)
        }
    }

    /// A protocol behind which a class may be.
    protocol Label: AnyObject, Sendable, Codable {
        var number: Int { get set }
        init(number: Int)
    }

    // Unchecked and without a lock, as an app may write it.
    final class Sticker: Label, @unchecked Sendable {
        var number: Int
        init(number: Int) { self.number = number }
    }

    struct Labelled: ReferenceEntity {
        let id: Int
        let label: any Label

        var amount: Int {
            get { label.number }
            nonmutating set { label.number = newValue }
        }

        init(id: Int, amount: Int) {
            self.id = id
            label = Sticker(number: amount)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            id = try container.decode(Int.self, forKey: .id)
            label = try container.decode(Sticker.self, forKey: .label)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            try container.encode(label, forKey: .label)
        }

        private enum Keys: CodingKey { case id, label }
    }

    // Unchecked and without a lock, as an app may write it.
    @propertyWrapper final class Shared: Codable, @unchecked Sendable {
        var wrappedValue: Int
        init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
    }

    /// A property whose wrapper is a class.
    struct Wrapped: ReferenceEntity {
        let id: Int
        @Shared var amount: Int

        init(id: Int, amount: Int) {
            self.id = id
            _amount = Shared(wrappedValue: amount)
        }
    }

    /// An enum with a class in one of its cases.
    struct Cased: ReferenceEntity {
        indirect enum Content: Codable, Sendable {
            case none
            case purse(Purse, next: Content)
        }

        let id: Int
        let content: Content

        var amount: Int {
            get { if case .purse(let purse, _) = content { purse.coins } else { 0 } }
            nonmutating set { if case .purse(let purse, _) = content { purse.coins = newValue } }
        }

        init(id: Int, amount: Int) {
            self.id = id
            content = .purse(Purse(coins: amount), next: .none)
        }
    }

    /// A generic type that holds a class by its argument.
    struct Nested<Content: Codable & Sendable>: ReferenceEntity {
        struct Inner: Codable, Sendable {
            var contents: [String: Content?]
        }

        let id: Int
        let inner: Inner
        static var entityName: String { "Nested" }

        var amount: Int {
            get { purse?.coins ?? 0 }
            nonmutating set { purse?.coins = newValue }
        }

        private var purse: Purse? { inner.contents["a"] as? Purse }

        init(id: Int, amount: Int) {
            self.id = id
            guard let content = Purse(coins: amount) as? Content else { fatalError("no purse") }
            inner = Inner(contents: ["a": content])
        }
    }

    /// A set or an array of classes.
    struct Listed: ReferenceEntity {
        let id: Int
        let purses: [Purse?]

        var amount: Int {
            get { purses.last??.coins ?? 0 }
            nonmutating set { purses.last??.coins = newValue }
        }

        init(id: Int, amount: Int) {
            self.id = id
            purses = [nil, Purse(coins: amount)]
        }
    }

    /// A closure that keeps what it captures.
    struct Hooking: ReferenceEntity {
        let id: Int
        private let read: @Sendable () -> Int
        private let write: @Sendable (Int) -> Void

        var amount: Int {
            get { read() }
            nonmutating set { write(newValue) }
        }

        init(id: Int, amount: Int) {
            self.id = id
            let purse = Purse(coins: amount)
            read = { purse.coins }
            write = { purse.coins = $0 }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            try self.init(
                id: container.decode(Int.self, forKey: .id),
                amount: container.decode(Int.self, forKey: .amount))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            try container.encode(amount, forKey: .amount)
        }

        private enum Keys: CodingKey { case id, amount }
    }

    /// A value, for comparison.
    struct Plain: ReferenceEntity {
        let id: Int
        var amount: Int
    }
}
