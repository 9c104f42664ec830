import Foundation
import Skyros
import SkyrosDisk

extension Job {
    /// Writes so many events, and after each has a copy of this process (`fork`) try to use the
    /// store, which is not its own.
    func copy() throws {
        var store: Store? = try opened { complain("in the background: \($0)") }
        let log = try AcknowledgementLog(acknowledgements)
        for round in 0..<eventCount {
            if let store { try writeOne(to: store, log) }
            if round.isMultiple(of: 2) {
                // The last reference goes, which closes a store that is one's own.
                try inCopy { store = nil }
            } else if let store {
                try inMidst(of: store) { try inCopy { try checkIsRefused(store) } }
            }
            try checkIsHeld()
        }
        try store?.close()
    }

    /// Runs `body` while another thread is in a write block of the store, which changes nothing.
    private func inMidst(of store: Store, _ body: () throws -> Void) throws {
        let block = Monitor((isEntered: false, mayLeave: false, hasEnded: false))
        Thread.detachNewThread {
            try? store.write { _ in
                block.change { $0.isEntered = true }
                block.wait { $0.mayLeave ? () : nil }
            }
            block.change { $0.hasEnded = true }
        }
        block.wait { $0.isEntered ? () : nil }
        let result = Result { try body() }
        block.change { $0.mayLeave = true }
        block.wait { $0.hasEnded ? () : nil }
        try result.get()
    }

    /// Runs `body` in a copy of this process, which ends then.
    private func inCopy(_ body: () throws -> Void) throws {
        // Swift hides the call, as few programs may do after it what they did before.
        guard let symbol = dlsym(nil, "fork") else { throw Broken(description: "there is no fork") }
        // The type that the C library declares for it.
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
        let child = fork()
        if child == 0 {
            // Who waits for ever is ended.
            alarm(30)
            do {
                try body()
                _exit(0)
            } catch {
                complain("in a copy of the process: \(error)")
                _exit(1)
            }
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard child > 0, status == 0 else {
            throw Broken(description: "P11: the copy of the process ended with \(status)")
        }
    }

    private func checkIsRefused(_ store: Store) throws {
        guard try store.count(Account.self) > 0 else {
            throw Broken(description: "P8: a copy of the process cannot read")
        }
        let calls: [() throws -> Void] = [
            { try store.write { try Model.write(1_000, &$0) } },
            { try store.write(durability: .deferred) { try Model.write(1_000, &$0) } },
            { try store.close() },
        ]
        for call in calls {
            do {
                try call()
                throw Broken(description: "P11: a copy of the process may use the store")
            } catch let error as StoreError {
                guard error.code == .alreadyOpen else { throw error }
            }
        }
    }

    /// The copy that has ended took the lock with it if another process gets it now.
    private func checkIsHeld() throws {
        let other = Process()
        other.executableURL = URL(filePath: CommandLine.arguments[0])
        other.arguments = ["verify", store.path, acknowledgements.path, "buffered"]
        let complaint = Pipe()
        other.standardError = complaint
        other.standardOutput = FileHandle.nullDevice
        try other.run()
        let text = try complaint.fileHandleForReading.readToEnd() ?? Data()
        other.waitUntilExit()
        guard String(decoding: text, as: UTF8.self).contains("alreadyOpen") else {
            throw Broken(description: "P11: another process could open the store")
        }
    }
}
