import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

private struct Account: Entity {
    var id: Int
    var cents = 0
}

/// The same account with a field that has another name, and no step to it.
private struct CarelessAccount: Entity {
    static let entityName = "Account"
    var id: Int
    var balance: Int
}

private struct Deposit: Command {
    var account: Int
    var cents: Int

    func run(_ tx: inout WriteTransaction) throws {
        try tx.update(Account.self, account) { $0.cents += cents }
    }
}

/// The same command, which takes a fee today.
private struct ExpensiveDeposit: Command {
    static let commandName = "Deposit"
    var account: Int
    var cents: Int

    func run(_ tx: inout WriteTransaction) throws {
        try tx.update(Account.self, account) { $0.cents += cents - 1 }
    }
}

@Suite struct `A golden log` {
    private let directory: TemporaryDirectory
    private var golden: URL { directory.url.appending(path: "Golden") }
    private var expected: URL { golden.appending(path: "expected.txt") }

    init() throws { directory = try TemporaryDirectory() }

    private func log() throws -> GoldenLog {
        try GoldenLog(at: golden, entities: Account.self).recording { store in
            try store.write { tx in
                for id in 1...3 { try tx.insert(Account(id: id)) }
            }
            try store.perform(Deposit(account: 2, cents: 50), by: "ada", because: "gift")
        }
    }

    /// Writes what is expected from now on.
    private func record(_ log: GoldenLog) throws {
        let failure = try #require(failedCheck(of: log))
        #expect(failure.isRecorded && failure.missing.isEmpty && !failure.added.isEmpty)
        #expect(failure.description.contains("commit it"))
    }

    private func failedCheck(of log: GoldenLog) -> GoldenLogFailure? {
        failure(as: GoldenLogFailure.self) { try log.check() }
    }

    @Test func `writes its store and its result once`() throws {
        let golden = try log().executing(Deposit.self)
            .showing("by account") { state in
                try Dictionary(
                    uniqueKeysWithValues: state.all(Account.self).map { ("\($0.id)", $0.cents) })
            }
        try record(golden)
        let text = try String(contentsOf: expected, encoding: .utf8)
        #expect(
            text == """
                After event 2

                Account
                  {"cents":0,"id":1}
                  {"cents":50,"id":2}
                  {"cents":0,"id":3}

                by account
                  {
                    "1": 0,
                    "2": 50,
                    "3": 0
                  }

                Commands that decide otherwise today: 0

                """)
        let files = try directory.contents()
        try golden.check()
        _ = try log()
        #expect(try directory.contents() == files)
    }

    @Test func `fails with the lines that differ`() throws {
        try record(log())
        let text = try String(contentsOf: expected, encoding: .utf8)
        try text.replacing("50", with: "60").write(to: expected, atomically: true, encoding: .utf8)
        let difference = try #require(failedCheck(of: log()))
        #expect(difference.missing == [#"  {"cents":60,"id":2}"#])
        #expect(difference.added == [#"  {"cents":50,"id":2}"#])
        #expect(difference.description.contains("\n-   {\"cents\":60,\"id\":2}\n+   {\"cents\""))
        #expect(difference.description.contains(expected.path))
        #expect(try String(contentsOf: expected, encoding: .utf8).contains("60"))
    }

    @Test func `fails if the expected result is shorter or longer`() throws {
        try record(log())
        let text = try String(contentsOf: expected, encoding: .utf8)
        for changed in ["", String(text.dropLast(9)), text + "more\n"] {
            try changed.write(to: expected, atomically: true, encoding: .utf8)
            #expect(try failedCheck(of: log()) != nil, "\(changed)")
        }
        try String(text.dropLast()).write(to: expected, atomically: true, encoding: .utf8)
        try log().check()
    }

    @Test func `fails if a command decides otherwise today`() throws {
        try record(log().executing(Deposit.self))
        let difference = try #require(failedCheck(of: log().executing(ExpensiveDeposit.self)))
        #expect(difference.missing == ["Commands that decide otherwise today: 0"])
        #expect(difference.added.first == "Commands that decide otherwise today: 1")
        #expect(difference.added.contains { $0.contains("by ada, \"gift\": Deposit") })
        #expect(difference.added.contains { $0.contains("cents: 50 → 49") })
    }

    @Test func `shows twenty lines of each kind`() throws {
        try record(log())
        try String(repeating: "x\n", count: 33)
            .write(to: expected, atomically: true, encoding: .utf8)
        let description = try #require(failedCheck(of: log())).description
        #expect(description.contains("\n- and 13 more lines\n"))
        #expect(description.count(of: "\n- x") == 20)
    }

    @Test func `fails if a record does not decode any more`() throws {
        try record(log())
        let careless = GoldenLog(at: golden, entities: CarelessAccount.self)
        #expect(throws: ReplayFailure.self) { try careless.check() }
    }

    @Test func `leaves no store if its recording fails`() throws {
        struct Failed: Error {}
        #expect(throws: Failed.self) {
            _ = try GoldenLog(at: golden, entities: Account.self).recording { _ in throw Failed() }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: golden.path).isEmpty)
        #expect(
            failure(as: StoreError.self) {
                try GoldenLog(at: golden, entities: Account.self).check()
            }?.code == .notAStore)
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
