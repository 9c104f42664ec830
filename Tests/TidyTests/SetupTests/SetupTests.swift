import Foundation
import Testing

@Suite struct `The setup` {
    @Test(arguments: ["", "--dry-run"])
    func `does nothing where nothing is missing`(options: String) throws {
        let outcome = try FakeMachine().setUp(options)
        #expect(outcome.status == 0)
        #expect(outcome.calls.isEmpty)
        #expect(!outcome.output.contains("installing"))
    }

    @Test func `installs what is missing and nothing else`() throws {
        var machine = try FakeMachine()
        machine.remove("zstd")
        machine.add("pkg-config", "case $* in *sqlite3*) exit 1;; esac")
        let outcome = try machine.setUp()
        #expect(outcome.status == 0)
        #expect(outcome.output == "setup: installing libsqlite3-dev zstd\nsetup: ready\n")
        #expect(
            outcome.calls == ["apt-get update -qq", "apt-get install -y -qq libsqlite3-dev zstd"])
    }

    @Test func `says what is missing in a dry run, and installs nothing`() throws {
        var machine = try FakeMachine(hasEnvironment: false)
        machine.remove("strace")
        let outcome = try machine.setUp("--dry-run")
        #expect(outcome.status == 1)
        #expect(outcome.calls.isEmpty)
        #expect(
            outcome.output
                == "setup: packages missing: strace\nsetup: Python environment: missing\n")
    }

    @Test func `asks for root only where something is missing`() throws {
        var machine = try FakeMachine()
        machine.add("id", "echo 501")
        #expect(try machine.setUp().status == 0)
        machine.remove("strace")
        let refused = try machine.setUp()
        #expect(refused.status == 1)
        #expect(refused.output.hasSuffix("setup: run as root: apt-get install strace\n"))
        #expect(refused.calls.isEmpty)
    }

    @Test func `uses a sudo that asks for no password`() throws {
        var machine = try FakeMachine()
        machine.add("id", "echo 501")
        machine.remove("strace")
        machine.add("sudo", "exit 1")
        #expect(try machine.setUp().output.contains("run as root"))
        machine.add("sudo", "shift\n\"$@\"")
        let outcome = try machine.setUp()
        #expect(outcome.status == 0)
        #expect(outcome.calls.last == "apt-get install -y -qq strace")
    }

    @Test func `uses brew on a Mac`() throws {
        var machine = try FakeMachine()
        machine.add("uname", "echo Darwin")
        for program in ["apt-get", "pkg-config", "sqlite3"] { machine.remove(program) }
        #expect(try machine.setUp().output.contains("https://brew.sh"))
        machine.add("brew", FakeMachine.noted("brew"))
        let outcome = try machine.setUp()
        #expect(outcome.status == 0)
        #expect(outcome.calls == ["brew install pkgconf zstd sqlite"])
    }

    @Test func `makes the Python environment once`() throws {
        let machine = try FakeMachine(hasEnvironment: false)
        let calls = try machine.setUp().calls
        #expect(calls.first == "python3 -m venv .build/python")
        #expect(calls.dropFirst().first?.contains(" zstandard==") == true)
        #expect(calls.count == 2)
        #expect(try machine.setUp().calls.isEmpty)
    }

    @Test func `fetches no Python package where Python has them all`() throws {
        var machine = try FakeMachine(hasEnvironment: false)
        machine.add("python3", FakeMachine.python(lends: true))
        let calls = try machine.setUp().calls
        #expect(
            calls == ["python3 -m venv --without-pip --system-site-packages .build/python"])
        #expect(try machine.setUp().calls.isEmpty)
    }

    @Test func `makes the Python environment anew for other packages`() throws {
        let machine = try FakeMachine()
        let packages = machine.root.appending(path: ".build/python/packages")
        try Data("zstandard==0.1\n".utf8).write(to: packages)
        #expect(try machine.setUp().calls.count == 2)
    }

    @Test(arguments: ["5.10", "6.0", "6.1"])
    func `refuses an old Swift and says where the new one is`(version: String) throws {
        var machine = try FakeMachine()
        machine.add("swift", "echo 'Apple Swift version \(version).1 (swiftlang)'")
        let outcome = try machine.setUp()
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("needs Swift 6.2, found \(version): https://"))
    }

    @Test(arguments: ["6.2", "6.10", "7.0", "10.1"])
    func `takes a newer Swift`(version: String) throws {
        var machine = try FakeMachine()
        machine.add("swift", "echo 'Swift version \(version)'")
        #expect(try machine.setUp().status == 0)
    }

    @Test func `says so where there is no Swift`() throws {
        var machine = try FakeMachine()
        machine.remove("swift")
        let outcome = try machine.setUp()
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("found none"))
    }
}
