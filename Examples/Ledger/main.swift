// A bank's ledger, with a month that was written by a release with a bug.
//
//     ledger STORE month                         writes the month of release 1
//     ledger STORE accounts
//     ledger STORE statement NUMBER
//     ledger STORE open NUMBER OWNER
//     ledger STORE deposit NUMBER CENTS
//     ledger STORE transfer FROM TO CENTS REASON
//     ledger STORE overdraft                     the event that overdrew an account
//     ledger STORE audit                         what today's commands would do otherwise
//     ledger STORE without EVENT                 the accounts, if it had not happened
//     ledger STORE take-back EVENT REASON

import Foundation
import Skyros

let usage = "usage: ledger STORE COMMAND [ARGUMENT …]; the commands are in main.swift"

func run(_ arguments: [String], in ledger: Ledger) throws {
    switch (arguments.first, arguments.count) {
    case ("month", 1): try Release1.writeMonth(to: ledger.store)
    case ("accounts", 1):
        for account in try ledger.accounts() { print(account.id, account.cents, account.owner) }
    case ("statement", 2):
        for posting in try ledger.statement(of: arguments[1]) {
            print(posting.cents, posting.text)
        }
    case ("open", 3): try ledger.open(arguments[1], owner: arguments[2])
    case ("deposit", 3):
        print(try ledger.deposit(Int(arguments[2]) ?? 0, to: arguments[1]))
    case ("transfer", 5):
        print(
            try ledger.transfer(
                Int(arguments[3]) ?? 0, from: arguments[1], to: arguments[2],
                because: arguments[4]))
    case ("overdraft", 1): print(try ledger.firstOverdraft()?.description ?? "none")
    case ("audit", 1): print(try ledger.audit())
    case ("without", 2): print(try ledger.accounts(without: sequence(arguments[1])))
    case ("take-back", 3):
        print(try ledger.takeBack(sequence(arguments[1]), because: arguments[2]))
    default: print(usage)
    }
}

func sequence(_ text: String) -> SequenceNumber {
    SequenceNumber(rawValue: UInt64(text) ?? 0)
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let path = arguments.first else {
        print(usage)
        exit(64)
    }
    let ledger = try Ledger(at: URL(filePath: path), clerk: "hedy")
    try run(Array(arguments.dropFirst()), in: ledger)
    try ledger.store.close()
} catch {
    print(error)
    exit(1)
}
