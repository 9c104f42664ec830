import Foundation
import Skyros

struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// Small segments and early checkpoints, so that a short life sees all that a long one does.
private func options(_ durability: Durability) -> Store.Options {
    var options = Store.Options()
    options.durability = durability
    options.segmentBytesMax = 32 << 10
    options.openingTargetMilliseconds = 1
    options.syncIntervalMilliseconds = 5
    options.onError = { error in
        FileHandle.standardError.write(Data("in the background: \(error)\n".utf8))
        exit(3)
    }
    return options
}

/// Writes one event after the other until it is killed.
func write(to url: URL, acknowledging file: URL, _ durability: Durability) throws {
    let store = try Store(at: url, entities: Account.self, options: options(durability))
    if !FileManager.default.fileExists(atPath: file.path) {
        try Data().write(to: file)
    }
    let acknowledgements = try FileHandle(forWritingTo: file)
    try acknowledgements.seekToEnd()
    while true {
        let number = store.sequence.next.rawValue
        try store.write(by: "writer", because: "event \(number)") { tx in
            try Model.write(number, &tx)
        }
        let line = Data("\(number)\n".utf8)
        try acknowledgements.write(contentsOf: line)
        try FileHandle.standardOutput.write(contentsOf: line)
    }
}

/// Opens the store and checks the promises; says where the store stands.
func verify(_ url: URL, against file: URL, _ durability: Durability) throws -> String {
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    // The last line may have been cut short by the kill.
    let acknowledged =
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .compactMap { UInt64($0) }.last ?? 0
    let store = try Store(at: url, entities: Account.self, options: options(durability))
    let last = store.sequence.rawValue
    if durability >= .buffered, last < acknowledged {
        throw Broken(description: "P1: \(acknowledged) was acknowledged, the store has \(last)")
    }
    if last > acknowledged + 1, durability != .deferred {
        throw Broken(description: "P3: nobody wrote \(last), \(acknowledged) was the last")
    }
    var model = Model()
    for number in 0..<last { model.apply(number + 1) }
    let expected = model.accounts.values.sorted { $0.id < $1.id }
    guard try store.all(Account.self, sortedBy: \.id) == expected else {
        throw Broken(description: "P3: the state is not that after event \(last)")
    }
    let digest = try store.snapshot.digest()
    guard try store.snapshot(asOf: .sequence(store.sequence)).digest() == digest,
        try Archive(at: url).snapshot().digest() == digest
    else { throw Broken(description: "P7: the fold of the log gives another state") }
    try check(store, last)
    if last % 3 == 0 { try store.close() } else { exit(report(last)) }
    let verification = try Archive(at: url).verify()
    guard verification.ok, verification.digest == digest else {
        throw Broken(description: "P7: \(verification.problems)")
    }
    return "\(last)"
}

/// Ends like a crash: without closing.
private func report(_ last: UInt64) -> Int32 {
    FileHandle.standardOutput.write(Data("\(last)\n".utf8))
    return 0
}

private func check(_ store: Store, _ last: UInt64) throws {
    var number: UInt64 = 0
    var time = EventTime(microseconds: 0)
    try store.forEachEvent { event in
        number += 1
        guard event.sequence.rawValue == number, event.time > time,
            event.metadata.reason == "event \(number)"
        else { throw Broken(description: "P3: event \(number) is not what was written") }
        time = event.time
        return true
    }
    guard number == last else { throw Broken(description: "P3: \(last) events, \(number) read") }
}
