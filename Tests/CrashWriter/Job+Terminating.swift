import Foundation
import Skyros

extension Job {
    /// Writes `eventCount` deferred events, which nothing else syncs, prints "written", and waits
    /// for a signal. The reactor flushes the store then, and the signal ends the process.
    func waitForTermination() throws {
        unblock(SIGTERM)
        var options = Store.Options()
        options.syncInterval = .seconds(1_000)
        let store = try Store(at: self.store, entities: Account.self, options: options)
        let reactor = try LifecycleReactor(store, source: .terminationSignals)
        for number in 1...UInt64(max(1, eventCount)) {
            try store.write(durability: .deferred) { try Model.write(number, &$0) }
        }
        try FileHandle.standardOutput.write(contentsOf: Data("written\n".utf8))
        // Until the end of the process. While `readLine` waits, ThreadSanitizer holds signals back;
        // while a file is read, it does not.
        while try FileHandle.standardInput.read(upToCount: 1)?.isEmpty == false {}
        withExtendedLifetime(reactor) {}
    }

    /// A child process may inherit the mask of a thread that blocks all signals.
    func unblock(_ signal: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
