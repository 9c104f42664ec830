import Foundation
import Skyros
import SkyrosDisk

extension Job {
    /// Writes events until the process is killed.
    func write() throws {
        let store = try opened { error in
            complain("in the background: \(error)")
            exit(3)
        }
        let log = try AcknowledgementLog(acknowledgements)
        try onThreads { while true { try writeOne(to: store, log) } }
    }

    /// Queues `eventCount` events. Each completion acknowledges its event, and the last one kills
    /// the process.
    func writeUntilCompletion() throws {
        let store = try opened { complain("in the background: \($0)") }
        let log = try AcknowledgementLog(acknowledgements)
        for number in 1...UInt64(eventCount) {
            store.writeAsync(because: "event \(number)") { tx in
                try Model.write(number, &tx)
            } completion: { [eventCount] result in
                if (try? result.get().sequence?.rawValue) == number { try? log.append(number) }
                if number == eventCount { kill(getpid(), SIGKILL) }
            }
        }
        Monitor(false).wait { $0 ? () : nil }
    }

    /// Writes `eventCount` events, continues after a few errors as an app may, and closes.
    ///
    /// - Throws: `Broken`, or else the first `StoreError`.
    func run() throws {
        let store = try opened { complain("in the background: \($0)") }
        let log = try AcknowledgementLog(acknowledgements)
        let progress = Locked(Progress(eventsLeft: eventCount))
        try onThreads {
            while progress.withLock({ $0.takesAnother() }) {
                // Read before the write: another thread's write may fail while this one runs.
                let isLost = progress.withLock { $0.error?.code == .durabilityLost }
                do {
                    let number = try writeOne(to: store, log)
                    if isLost {
                        throw Broken(description: "P10: \(number) was written after a failed sync")
                    }
                } catch let error as StoreError {
                    complain("\(error)")
                    progress.withLock { $0.record(error) }
                }
            }
        }
        try store.close()
        if let error = progress.withLock({ $0.error }) { throw error }
    }

    /// The progress of all threads of a run.
    private struct Progress {
        var eventsLeft: Int
        private(set) var error: StoreError?
        private var attemptsLeft = 10

        init(eventsLeft: Int) {
            self.eventsLeft = eventsLeft
        }

        mutating func takesAnother() -> Bool {
            eventsLeft -= 1
            return eventsLeft >= 0 && attemptsLeft > 0
        }

        /// Keeps the first error, or the first `durabilityLost`, after which no write may succeed.
        mutating func record(_ next: StoreError) {
            attemptsLeft -= 1
            if error == nil || (next.code == .durabilityLost && error?.code != next.code) {
                error = next
            }
        }
    }

    /// Writes the next event and acknowledges it.
    @discardableResult
    func writeOne(to store: Store, _ log: AcknowledgementLog) throws -> UInt64 {
        // With several threads the number is not known in advance.
        let reason = threadCount == 1 ? "event \(store.sequence.next)" : nil
        let (number, receipt) = try store.writeWithReceipt(by: "writer", because: reason) { tx in
            let number = store.sequence.next.rawValue
            try Model.write(number, &tx)
            if number == trapNumber { abort() }
            return number
        }
        guard receipt.sequence?.rawValue == number else {
            throw Broken(description: "P8: event \(number) has receipt \(receipt)")
        }
        try log.append(number)
        return number
    }

    /// Runs `body` on `threadCount` threads, waits for all, and throws the first error.
    private func onThreads(_ body: @escaping @Sendable () throws -> Void) throws {
        let errors = Monitor<[(any Error)?]>([])
        let count = threadCount
        for _ in 1..<count {
            Thread.detachNewThread {
                let result = Result { try body() }
                errors.change { $0.append(result.failure) }
            }
        }
        let own = Result { try body() }
        errors.change { $0.append(own.failure) }
        let all = errors.wait { $0.count == count ? $0 : nil }
        if let error = all.lazy.compactMap(\.self).first { throw error }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// Writes acknowledgements to a file and to the standard output.
final class AcknowledgementLog: Sendable {
    private let file: Locked<FileHandle>

    init(_ url: URL) throws {
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        let handle = try FileHandle(forWritingTo: url)
        try handle.seekToEnd()
        file = Locked(handle)
    }

    func append(_ number: UInt64) throws {
        let line = Data("\(number)\n".utf8)
        try file.withLock { file in
            try file.write(contentsOf: line)
            try FileHandle.standardOutput.write(contentsOf: line)
        }
    }
}
