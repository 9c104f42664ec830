// A basket that is edited in a child store: saved as one event, or discarded.
//
//     basket [STORE]

import Foundation
import Skyros

func show(_ basket: Basket, as title: String) {
    print("\(title): \(basket.totalCents) cents")
    for (line, dish) in basket.items {
        print("  \(line.count) × \(dish.name)\(line.note.map { " (\($0))" } ?? "")")
    }
}

do {
    let url = URL(filePath: CommandLine.arguments.dropFirst().first ?? "Basket.skyros")
    let store = try Store(at: url, entities: Dish.self, BasketLine.self)
    try store.write(by: "restaurant", because: "menu of today") { tx in
        try tx.upsert([
            Dish(id: "margherita", name: "Margherita", cents: 850),
            Dish(id: "tiramisu", name: "Tiramisù", cents: 500),
        ])
    }

    let editor = BasketEditor(store, by: "alice")
    try editor.set(2, of: "margherita", note: "extra basil")
    try editor.set(1, of: "tiramisu")
    try show(editor.basket, as: "being edited")
    try show(Basket(of: store), as: "in the store")

    try editor.save()
    try show(Basket(of: store), as: "saved")

    let second = BasketEditor(store, by: "alice")
    try second.set(0, of: "margherita")
    try show(second.basket, as: "being edited")
    try second.cancel()
    try show(Basket(of: store), as: "cancelled")

    for sequence in 1...store.sequence {
        guard let event = try store.event(sequence) else { continue }
        let (actor, reason) = (event.metadata.actor ?? "-", event.metadata.reason ?? "-")
        print("event \(sequence) by \(actor), \(reason): \(event.changes.count) changes")
    }
    try store.close()
} catch {
    print(error)
    exit(1)
}
