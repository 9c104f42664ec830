// A library's app in four releases. Each opens the store that those before it have written.
//
//     library [STORE]

import Foundation
import Skyros

/// Prints the steps to the shapes of a release from those of the oldest records.
func report(_ recovery: RecoveryReport, of release: Int) {
    for (entity, steps) in recovery.evolution {
        let list = steps.map(\.description).joined(separator: ", ")
        print("release \(release) reads \(entity) by the steps \(list)")
    }
    if let backup = recovery.backup { print("  its first write copies the store to \(backup)") }
}

/// A day with a release: the app opens the store, works, and closes it.
func run(
    _ release: Int, at url: URL, _ types: any Entity.Type...,
    work: (inout WriteTransaction) throws -> Void
) throws {
    let store = try Store(at: url, entities: types)
    report(store.recovery, of: release)
    try store.write(by: "librarian", because: "release \(release)", work)
    try store.close()
}

/// The days before the newest release.
func runEarlierReleases(at url: URL) throws {
    try run(1, at: url, Release1.User.self, Release1.Book.self, work: Release1.seed)
    do {
        _ = try Store(at: url, entities: Careless.User.self, Careless.Book.self)
    } catch let error as StoreError where error.code == .schemaMismatch {
        print("release 2 without steps is refused: \(error.message)")
    }
    try run(2, at: url, Release2.User.self, Release2.Book.self, work: Release2.seed)
    try run(3, at: url, Release3.User.self, Release3.Book.self, work: Release3.seed)
}

do {
    let url = URL(filePath: CommandLine.arguments.dropFirst().first ?? "Library.skyros")
    if !FileManager.default.fileExists(atPath: url.path) { try runEarlierReleases(at: url) }

    let desk = try LendingDesk(at: url, by: "grace")
    report(desk.store.recovery, of: 4)
    let middlemarch = "0141439548"
    try desk.lend(middlemarch, to: Ref(2))
    try desk.giveBack(middlemarch)

    print("users:")
    for user in try desk.store.all(User.self) {
        let loans = try desk.loans(of: user.ref).map(\.title)
        print("  \(user.firstName) \(user.lastName), \(user.phone), loans: \(loans)")
    }
    print("on shelf E:", try desk.books(onShelf: "E").map(\.title))
    print("after event 1:", try desk.books(asOf: 1).map { "\($0.shelf) \($0.title)" })
    print("the history of Middlemarch:")
    for line in try desk.history(of: middlemarch) { print(" ", line) }
    try desk.store.close()
} catch {
    print(error)
    exit(1)
}
