// The smallest whole program: a store, two writes, a query, and the history of one record.

import Foundation
import Skyros

struct Restaurant: Entity {
    var id = UUID()
    var name: String
    var cuisine: String
    static let indexes: [Index<Restaurant>] = [.on(\.cuisine)]
}

do {
    let url = URL(filePath: CommandLine.arguments.dropFirst().first ?? "Restaurants.skyros")
    let store = try Store(at: url, entities: Restaurant.self)

    let nonna = Restaurant(name: "Nonna", cuisine: "italian")
    try store.write(by: "alice", because: "new partner") { try $0.insert(nonna) }
    try store.write(by: "bob", because: "they said so on the phone") { tx in
        try tx.update(Restaurant.self, nonna.id) { $0.name = "Da Nonna" }
    }

    let italian = try store.all(Restaurant.self, where: \.cuisine == "italian", sortedBy: \.name)
    for restaurant in italian { print(restaurant.name) }

    for edit in try store.history(of: Restaurant.self, nonna.id) {
        try print(edit.sequence, edit.time, edit.actor ?? "-", edit.reason ?? "-", edit.changes)
    }
    try store.close()
} catch {
    print(error)
    exit(1)
}
