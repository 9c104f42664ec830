import TestSupport

#if os(Linux)
    import Foundation
    import SkyrosDisk
    import Testing

    private let launcher = [
        "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
    ]

    /// A store that is opened by an ordinary user: root may read and write everything.
    @Suite(
        .enabled(
            if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: launcher[0]),
            "needs root and setpriv"))
    struct `An ordinary user` {
        private static let nobody: uid_t = 65_534
        private let directory: TemporaryDirectory
        private let store: String

        init() throws {
            directory = try TemporaryDirectory()
            store = directory.path("Test.skyros")
            try #require(chmod(directory.path, 0o755) == 0)
        }

        /// Makes a store that belongs to the user, or to root.
        private func make(of user: uid_t) throws {
            let outcome = try LockHolder().open(store)
            try #require(outcome.status == 0, "\(outcome.complaint)")
            try give(to: user)
        }

        /// Makes a store of the user whose writer was killed, so that an opening must write to it.
        private func makeKilled() throws {
            let writer = try LockHolder().startWriter(
                to: store, acknowledging: directory.path("acknowledged"))
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
            try give(to: Self.nobody)
        }

        private func give(to user: uid_t) throws {
            for path in try paths() { try #require(chown(path, user, user) == 0) }
        }

        private func paths() throws -> [String] {
            try [store]
                + FileManager.default.subpathsOfDirectory(atPath: store)
                .map { "\(store)/\($0)" }
        }

        /// The files of the store by path, without the lock file, whose text is informative only.
        private func contents() throws -> [String: Data] {
            var contents: [String: Data] = [:]
            for path in try paths() where !path.hasSuffix("/lock") {
                contents[path] = FileManager.default.contents(atPath: path) ?? Data()
            }
            return contents
        }

        /// Expects that the user's opening is refused and changes nothing.
        private func isRefused(_ words: [String]) throws {
            let before = try contents()
            let outcome = try LockHolder().open(store, through: launcher)
            #expect(outcome.status == 1)
            for word in words { #expect(outcome.complaint.contains(word)) }
            #expect(try contents() == before)
        }

        @Test func `opens a store with the same owner (F39)`() throws {
            try make(of: Self.nobody)
            let outcome = try LockHolder().open(store, through: launcher)
            #expect(outcome.status == 0, "\(outcome.complaint)")
        }

        @Test func `does not open another user's store (F39)`() throws {
            try make(of: 0)
            try isRefused(["io:", "Permission denied"])
        }

        @Test func `does not open another user's files in shared directories (F39)`() throws {
            try make(of: 0)
            for path in try paths() { try #require(chmod(path, 0o777) == 0) }
            try isRefused(["insecurePath:", "another user"])
        }

        @Test func `creates no store in a read-only directory (F39)`() throws {
            let outcome = try LockHolder().open(store, through: launcher)
            #expect(outcome.status == 1)
            #expect(outcome.complaint.contains("Permission denied"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        }

        @Test(arguments: [("events", 0o500), ("lock", 0o000)])
        func `gets an error that names the denied operation (F39)`(name: String, mode: mode_t)
            throws
        {
            try makeKilled()
            try #require(chmod("\(store)/\(name)", mode) == 0)
            let outcome = try LockHolder().open(store, through: launcher)
            #expect(outcome.status == 1)
            #expect(outcome.complaint.contains("Permission denied"))
        }

        @Test func `gets an error that names an unlistable directory (F21, F39)`() throws {
            try make(of: Self.nobody)
            try #require(chmod("\(store)/events", 0o300) == 0)
            try isRefused(["io:", "events", "Permission denied"])
        }

        @Test func `gets an error that names an unreadable segment (F39)`() throws {
            try make(of: Self.nobody)
            let segment = "\(store)/events/00000000000000000001.open"
            try #require(chmod(segment, 0o000) == 0)
            try isRefused(["io:", "00000000000000000001.open", "Permission denied"])
        }
    }
#endif
