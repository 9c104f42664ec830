import Foundation
import Skyros
import SkyrosDisk

extension Job {
    /// Writes `eventCount` events. After each one, forks a child that tries to use the store, which
    /// only its parent may use.
    func writeAndFork() throws {
        var store: Store? = try opened { complain("in the background: \($0)") }
        let log = try AcknowledgementLog(acknowledgements)
        // So that the child finds the metadata that it needs initialized.
        _ = try store?.count(Account.self)
        for round in 0..<eventCount {
            if let store { try writeOne(to: store, log) }
            if round.isMultiple(of: 2) {
                // The child releases its last reference, which must not close the parent's store.
                try inForkedChild { store = nil }
            } else if let store {
                try duringWrite(to: store) { try inForkedChild { try checkIsRefused(store) } }
            }
            try checkIsLocked()
        }
        try store?.close()
    }

    /// Runs `body` while another thread runs a write block that changes nothing.
    private func duringWrite(to store: Store, _ body: () throws -> Void) throws {
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

    /// Runs `body` in a forked child, which then exits.
    private func inForkedChild(_ body: () throws -> Void) throws {
        // Swift marks `fork` as unavailable, because most code is unsafe in a forked child.
        guard let symbol = dlsym(nil, "fork") else { throw Broken(description: "there is no fork") }
        // The type that the C library declares.
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
        let child = fork()
        if child == 0 {
            // Kills a child that hangs: another thread may have been in the middle of initializing
            // metadata of the Swift runtime, which the child then waits for.
            unblock(SIGALRM)
            alarm(30)
            do {
                try body()
                _exit(0)
            } catch {
                complain("in a forked child: \(error)")
                _exit(1)
            }
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard child > 0, status == 0 else {
            throw Broken(description: "P11: the forked child ended with \(status)")
        }
    }

    private func checkIsRefused(_ store: Store) throws {
        guard try store.count(Account.self) > 0 else {
            throw Broken(description: "P8: a forked child cannot read")
        }
        let calls: [() throws -> Void] = [
            { try store.write { try Model.write(1_000, &$0) } },
            { try store.write(durability: .deferred) { try Model.write(1_000, &$0) } },
            { try store.close() },
        ]
        for call in calls {
            do {
                try call()
                throw Broken(description: "P11: a forked child could write to or close the store")
            } catch let error as StoreError {
                guard error.code == .alreadyOpen else { throw error }
            }
        }
    }

    /// Checks that the exit of the child did not release the lock: another process cannot get it.
    private func checkIsLocked() throws {
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
