import Foundation
import Skyros
import Testing

@testable import Ledger

/// Event 142 of Bank.skyros breaks a condition:
///
///     2  2026-11-28T01:39:02.095629Z  grace  "day 30"  skyros.event=142  Transfer {"cents":43407,…
///         ~ Account A1  cents: 43407 → -25, postingCount: 59 → 61
///         ~ Account A4  cents: 43989 → 87396, postingCount: 60 → 61
///         + Posting a7a7f3aa-7977-4c73-8885-a60cd2e156aa  {"account":"A1","cents":-43407,"date":"…
///         + Posting 01186316-a1b6-4d30-936d-a690b34362a3  {"account":"A4","cents":43407,"date":"2…
///         + Posting 9b2e3ad5-080f-4650-9b9a-beb0f8e78ff5  {"account":"A1","cents":-25,"date":"202…
///
/// The store beside this file has 2 of the 399 records before it, and the event as event 2.
/// In a Swift package, exclude it from the target, or copy it as a resource.
///
/// Run it now: it must fail. Types have the names that they have in the log: adapt
/// those that the code calls otherwise.
@Suite struct `Overdraft, from a log` {
    private let store = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "history.skyros")

    @Test func `event 142 does not break the condition`() throws {
        let archive = try Archive(at: store, entities: [Account.self, Posting.self])
        // The command is executed again, by the code of today.
        let outcome = try WhatIf(in: archive, commands: [Transfer.self])
            .starting(after: 1).run()
        let missing = outcome.problems.filter {
            [.notFound, .unknownEntity].contains(($0.error as? StoreError)?.code)
        }
        #expect(missing.isEmpty, "keep the entity of the record: skyros distill --keep")
        let answer = try outcome.query(
            "SELECT id FROM Account WHERE cents < 0")
        #expect(answer.rows.isEmpty, "\(outcome)")
    }
}
