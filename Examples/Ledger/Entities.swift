import Foundation
import Skyros

/// A customer's account.
struct Account: Entity, Equatable {
    /// Its number.
    var id: String
    var owner: String
    var cents = 0
    var postingCount = 0
}

/// What was added to an account, or taken from it.
struct Posting: Entity, Equatable {
    var id: UUID
    var account: Ref<Account>
    /// Its place among those of the account: 1, 2, 3 …
    var number: Int
    var cents: Int
    var text: String
    var date: Date
    static let indexes: [Index<Posting>] = [.on(\.account, \.number)]
    static let relations: [Relation<Posting>] = [.to(\.account, onDelete: .deny)]
}
