import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

private struct Account: Entity {
    var id: Int
    var cents: Int
}

/// The code of the README.
@Suite struct `The README` {
    private let directory: TemporaryDirectory
    private let log: URL

    init() throws {
        directory = try TemporaryDirectory()
        log = directory.store
        let store = try Store(at: log, entities: Account.self)
        try store.write { try $0.insert(Account(id: 1, cents: 100)) }
        try store.close()
    }

    @Test func `money is neither made nor lost in a crash`() throws {
        try CrashSimulation(of: Account.self) { store, choose in
            let cents = choose(100)
            try store.write { tx in
                try tx.upsert(Account(id: 1, cents: (tx[Account.self, 1]?.cents ?? 0) + cents))
                try tx.upsert(Account(id: 2, cents: (tx[Account.self, 2]?.cents ?? 0) - cents))
            }
        }
        .checking("the balances add up to 0") { state in
            try state.all(Account.self).reduce(0) { $0 + $1.cents } == 0
        }
        .run(seeds: 1...20)
    }

    @Test func `every account of yesterday's log is still valid`() throws {
        try Replay(of: log, entities: Account.self)
            .checking("no account is overdrawn") { _, event in
                try event.changes(of: Account.self).allSatisfy { try $0.after?.cents ?? 0 >= 0 }
            }
            .run()
    }

    /// The tests above, without the indentation of this suite.
    @Test func `shows code that is compiled and run here`() throws {
        let readme = try String(
            contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { $0.hasPrefix("@Test") }
        #expect(blocks.count == 2)
        for block in blocks {
            let indented = block.split(separator: "\n").map { "    \($0)" }
            #expect(source.contains(indented.joined(separator: "\n")))
        }
    }
}
