#if Postgres
    import Foundation
    import Skyros
    import SkyrosDisk
    import SkyrosPostgres

    // A node of a cluster under test: it reads and writes at random, and keeps a history of it.
    //
    //     cluster-node URL DIRECTORY NAME SECONDS THREADS SEED AHEAD
    //
    // The directory gets NAME.history, NAME.token, and NAME.cache. AHEAD is by how many seconds the
    // clock of the node is wrong.

    let words = CommandLine.arguments
    guard words.count == 8, let seconds = Int(words[4]), let threads = Int(words[5]),
        let seed = UInt64(words[6]), let ahead = Int64(words[7])
    else {
        FileHandle.standardError.write(
            Data("usage: cluster-node URL DIRECTORY NAME SECONDS THREADS SEED AHEAD\n".utf8))
        exit(2)
    }
    let (url, directory, name) = (words[1], words[2], words[3])
    let history = HistoryFile("\(directory)/\(name).history", node: name)
    let mailbox = Mailbox(directory, node: name)
    let end = ContinuousClock.now + .seconds(seconds)

    // For a look at one server.
    let allowsWeakDurability =
        ProcessInfo.processInfo.environment["SKYROS_ALLOWS_WEAK_DURABILITY"] == "1"

    var options = Store.Options()
    options.onError = { error in
        let code = (error as? StoreError)?.code.name ?? "\(error)"
        history.note("report", "report", ["code": code, "text": "\(error)"])
    }

    struct WrongClock: WallClock {
        let microsecondsAhead: Int64

        func nowMicroseconds() -> Int64 { SystemClock().nowMicroseconds() + microsecondsAhead }
    }

    /// Opens the store, as long as it takes: the servers may be in the middle of a failover.
    @MainActor func opened() async -> Store? {
        while ContinuousClock.now < end {
            do {
                let place = StorePlace.postgres(
                    url, cache: URL(filePath: "\(directory)/\(name).cache"), node: name,
                    allowsWeakDurability: allowsWeakDurability)
                return try Store(
                    at: place, entities: [Basket.self, Account.self, Register.self, Claim.self],
                    options: options, clock: WrongClock(microsecondsAhead: 1_000_000 * ahead))
            } catch {
                let code = (error as? StoreError)?.code.name ?? ""
                history.note("opening", "fail", ["code": code, "text": "\(error)"])
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        return nil
    }

    guard let store = await opened() else { exit(1) }
    let report = store.recovery.historyReplacedAfter.map { "\($0)" } ?? ""
    history.note("opening", "ok", ["sequence": store.sequence.rawValue, "replaced": report])
    await withTaskGroup(of: Void.self) { group in
        for thread in 0..<threads {
            let workload = Workload(
                store: store, history: history, node: name, thread: thread, mailbox: mailbox)
            group.addTask { await workload.run(until: end, seed: seed &+ UInt64(thread) &* 7_919) }
        }
    }
    history.note("closing", "invoke")
    do {
        try store.close()
        history.note("closing", "ok", ["sequence": store.sequence.rawValue])
    } catch {
        history.note("closing", "fail", ["text": "\(error)"])
    }
#endif
