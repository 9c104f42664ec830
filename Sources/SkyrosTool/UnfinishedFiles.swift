import Foundation
import Skyros
import SkyrosDisk

/// The files and directories that this process is making under temporary names.
enum UnfinishedFiles {
    private struct Item {
        let path: String
        /// What must be at the path to be removed; nil for a name that only this process uses.
        let identity: Identity?

        /// Whether the path leads to it.
        var isInPlace: Bool {
            let current = Identity(path)
            return current != nil && (identity == nil || identity == current)
        }
    }

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        /// Nil if there is nothing at the path.
        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    private static let items = Locked<[Item]>([])

    /// How often the removal of a directory is tried into which another thread writes.
    private static let attemptsMax = 1_000

    /// Adds a file or directory, with SQLite's journal beside it. No other process gives one this
    /// path.
    static func add(_ path: String) {
        items.withLock { $0.append(Item(path: path, identity: nil)) }
    }

    /// Runs `body`, which makes the file at `path`, and adds this file: other processes make one of
    /// that name at other times. A signal comes before or after both.
    static func make(_ path: String, _ body: () throws -> Void) rethrows {
        try items.withLock { items in
            try body()
            if let identity = Identity(path) {
                items.append(Item(path: path, identity: identity))
            }
        }
    }

    /// Runs `body`, which gives the item at `path` its final name, and takes it off the list. A
    /// signal comes before or after both.
    static func publish<R>(_ path: String, _ body: () throws -> R) rethrows -> R {
        try items.withLock { items in
            let result = try body()
            items.removeAll { $0.path == path }
            return result
        }
    }

    /// Removes the item at `path` from the disk and from the list.
    static func remove(_ path: String) {
        items.withLock { items in
            for item in items where item.path == path { remove(item) }
            items.removeAll { $0.path == path }
        }
    }

    /// Removes all items, and then runs `body` with their paths; nothing is added or published
    /// meanwhile.
    static func removeAll(_ body: (_ own: [String], _ shared: [String]) -> Void) {
        items.withLock { items in
            for item in items { remove(item) }
            let own = items.filter { $0.identity == nil }.map(\.path)
            let shared = items.filter { $0.identity != nil }.map(\.path)
            items = []
            body(own, shared)
        }
    }

    /// Removes what other threads have made after `removeAll`, once they have ended. Other paths
    /// than those of such files are left alone.
    static func removeAgain(own: [String], shared: [String]) {
        func name(_ path: String) -> String { URL(filePath: path).lastPathComponent }
        for path in own where maker(of: name(path)) == getpid() {
            try? FileManager.default.removeItem(atPath: path)
            unlink(path + "-journal")
        }
        // Another process that makes a file of this name has made it before its journal.
        for path in shared
        where name(path) == DiskPath.unfinishedCheckpoint.name && Identity(path) == nil {
            unlink(path + "-journal")
        }
    }

    private static func remove(_ item: Item) {
        guard item.isInPlace else { return }
        for _ in 0..<attemptsMax {
            try? FileManager.default.removeItem(atPath: item.path)
            if !item.isInPlace { break }
        }
        unlink(item.path + "-journal")
    }
}

extension UnfinishedFiles {
    /// A name for the next unfinished file in `directory`, after those of processes that were
    /// killed are removed from it.
    static func makePath(in directory: String) -> String {
        removeStale(in: directory)
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "\(directory)/\(prefix)\(getpid())-\(number)\(suffix)"
    }

    private static let count = Locked(0)
    private static let prefix = ".skyros-"
    private static let suffix = ".tmp"

    private static func removeStale(in directory: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names {
            guard let process = maker(of: name), process == getpid() || !isAlive(process) else {
                continue
            }
            let path = "\(directory)/\(name)"
            var status = stat()
            let isOurs = lstat(path, &status) == 0 && status.st_uid == geteuid()
            // The path in the list may be another one of the same directory.
            let isListed = items.withLock { items in
                items.contains { name.hasPrefix(URL(filePath: $0.path).lastPathComponent) }
            }
            if isOurs, !isListed { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    /// The process that made a file of this name; nil if it is not one of ours.
    private static func maker(of name: String) -> pid_t? {
        let name = name.hasSuffix("-journal") ? String(name.dropLast("-journal".count)) : name
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let numbers = name.dropFirst(prefix.count).dropLast(suffix.count)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, UInt32(numbers[1]) != nil else { return nil }
        return pid_t(numbers[0]).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func isAlive(_ process: pid_t) -> Bool {
        kill(process, 0) == 0 || errno != ESRCH
    }
}
