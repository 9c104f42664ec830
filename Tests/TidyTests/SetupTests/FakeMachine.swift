import Foundation

/// A copy of `scripts/setup` in a directory of its own, on a machine whose only programs are fakes.
///
/// The shell that goes on to run the script writes the fakes. This process must not: while it has
/// one open, another thread may start a child that inherits the open file, and a program that is
/// open for writing cannot be run.
struct FakeMachine: ~Copyable {
    let root: URL
    /// What each program does, by name.
    private var programs: [String: String] = [:]

    struct Outcome {
        let status: Int32
        let output: String
        /// What was called that changes the machine, in order.
        let calls: [String]
    }

    /// A Linux on which nothing is missing, except for the Python environment if told so.
    init(hasEnvironment: Bool = true) throws {
        root = FileManager.default.temporaryDirectory
            .appending(path: "skyros-setup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root.appending(path: "scripts"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: SourceTree.root.appending(path: "scripts/setup"),
            to: root.appending(path: "scripts/setup"))
        for tool in ["pkg-config", "git", "zstd", "sqlite3", "strace"] { add(tool, "") }
        add("uname", "echo Linux")
        add("id", "echo 0")
        add("apt-get", Self.noted("apt-get"))
        add("swift", "echo 'Swift version 6.2 (swift-6.2-RELEASE)'")
        add("python3", Self.python(lends: false))
        if hasEnvironment { _ = try setUp() }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// A program that notes how it was called before it does something.
    static func noted(_ name: String, _ body: String = "") -> String {
        "echo \"\(name) $*\" >>\"$CALLS\"\n\(body)"
    }

    /// Makes environments in which the fakes that it is made of stand, and lends them the packages
    /// that the reader needs or has none of them.
    static func python(lends: Bool) -> String {
        """
        case "$1 $2" in
            "-c import cbor2"*) exit \(lends ? 0 : 1) ;;
            "-m venv") ;;
            *) exit 0 ;;
        esac
        \(noted("python3"))
        for directory; do :; done
        mkdir -p "$directory/bin"
        printf '#!/bin/sh\\necho "pip $*" >>"$CALLS"\\n' >"$directory/bin/pip"
        printf '#!/bin/sh\\n' >"$directory/bin/python"
        chmod +x "$directory/bin/pip" "$directory/bin/python"
        """
    }

    /// Adds or replaces a program.
    mutating func add(_ name: String, _ body: String) { programs[name] = body }

    mutating func remove(_ name: String) { programs[name] = nil }

    func setUp(_ options: String = "") throws -> Outcome {
        let calls = root.appending(path: "calls")
        try? FileManager.default.removeItem(at: calls)
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script(options)]
        process.environment = ["PATH": "/usr/bin:/bin", "CALLS": calls.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let noted = (try? String(contentsOf: calls, encoding: .utf8)) ?? ""
        return Outcome(
            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            calls: noted.split(separator: "\n").map(String.init))
    }

    /// Puts the fakes, and the system's tools that change nothing else, into a path of their own.
    private func script(_ options: String) -> String {
        let fakes = programs.sorted { $0.key < $1.key }.map { name, body in
            "cat >bin/\(name) <<'END'\n#!/bin/sh\n\(body)\nEND\n"
        }
        return """
            set -e
            cd '\(root.path)'
            rm -rf bin
            mkdir bin
            \(fakes.joined())
            chmod +x bin/*
            for tool in cat chmod dirname env mkdir rm sed tr; do
                ln -s "$(command -v $tool)" bin/$tool
            done
            PATH='\(root.path)/bin'
            exec /bin/sh scripts/setup \(options)
            """
    }
}
