import Foundation
import Skyros
import SkyrosDisk

/// A command of the user, which `/bin/sh` runs as a child of this process.
///
/// The child has the signals of a program that a terminal starts, although this process blocks some
/// of them. It leads a process group, which a signal that ends this process ends too: all that the
/// command has started, unless that has left the group.
struct ShellCommand: Sendable {
    /// How a child ended.
    enum Status: Equatable, CustomStringConvertible {
        case exited(Int32)
        case signaled(Int32)

        var description: String {
            switch self {
            case .exited(let code): "exits with \(code)"
            case .signaled(let number): "ends by signal \(number)"
            }
        }
    }

    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Runs the command and waits for its end. It reads nothing, and writes to the standard error.
    ///
    /// - Parameter variables: what its environment has besides that of this process.
    /// - Throws: `StoreError` with `.io` if it cannot be started.
    func run(adding variables: [String: String]) throws -> Status {
        try Running(process: start(adding: variables, nil, STDERR_FILENO)).wait()
    }

    /// Starts the command with pipes.
    ///
    /// - Parameter variables: what its environment has besides that of this process.
    /// - Returns: the child, the descriptor to write what it reads, and that to read what it
    ///   writes. The caller closes both.
    /// - Throws: `StoreError` with `.io` if it cannot be started.
    func start(
        adding variables: [String: String]
    ) throws -> (child: Running, input: Int32, output: Int32) {
        let input = try Self.makePipe()
        defer { close(input.reading) }
        do {
            let output = try Self.makePipe()
            defer { close(output.writing) }
            do {
                let process = try start(adding: variables, input.reading, output.writing)
                return (Running(process: process), input.writing, output.reading)
            } catch {
                close(output.reading)
                throw error
            }
        } catch {
            close(input.writing)
            throw error
        }
    }

    private static func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StoreError(errno: errno, "a pipe cannot be made") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - variables: what its environment has besides that of this process.
    ///   - input: its standard input; nil for one without bytes.
    ///   - output: its standard output.
    private func start(
        adding variables: [String: String], _ input: Int32?, _ output: Int32
    ) throws -> pid_t {
        let actions = Self.make(posix_spawn_file_actions_init)
        defer {
            posix_spawn_file_actions_destroy(actions)
            actions.deallocate()
        }
        if let input {
            posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO)
        let attributes = Self.make(posix_spawnattr_init)
        defer {
            posix_spawnattr_destroy(attributes)
            attributes.deallocate()
        }
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        for number in [SIGPIPE, SIGCHLD] { sigaddset(&usual, number) }
        posix_spawnattr_setsigmask(attributes, &none)
        posix_spawnattr_setsigdefault(attributes, &usual)
        posix_spawnattr_setpgroup(attributes, 0)
        posix_spawnattr_setflags(
            attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let words = ["/bin/sh", "-c", text].map { (word: String) in strdup(word) }
        let settings = environment.map { (name, value) in strdup("\(name)=\(value)") }
        defer { (words + settings).forEach { free($0) } }
        return try Self.children.withLock { children in
            guard let running = children else {
                throw StoreError(.io, "no command is started any more: this process ends")
            }
            var process: pid_t = 0
            let code = posix_spawn(
                &process, "/bin/sh", actions, attributes, words + [nil], settings + [nil])
            guard code == 0 else { throw StoreError(errno: code, "/bin/sh cannot be started") }
            children = running.union([process])
            return process
        }
    }

    /// Memory for what `initialize` makes: on some systems a structure, on others a pointer.
    private static func make<T>(
        _ initialize: (UnsafeMutablePointer<T>) -> Int32
    ) -> UnsafeMutablePointer<T> {
        let memory = UnsafeMutablePointer<T>.allocate(capacity: 1)
        _ = initialize(memory)
        return memory
    }

    // MARK: The running children

    /// Nil when this process ends.
    private static let children = Locked<Set<pid_t>?>([])

    /// A child that was started, and for which one call of `wait` waits.
    struct Running {
        fileprivate let process: pid_t

        /// Waits for its end. Does not return if this process is being ended by a signal.
        ///
        /// - Throws: `StoreError` with `.io` if the system does not say how it ended.
        func wait() throws -> Status {
            // Its number is another's only after it was waited for, so not while it is in the set.
            var info = siginfo_t()
            while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            let (status, isEnding) = try ShellCommand.children.withLock { children in
                children?.remove(process)
                var status: Int32 = 0
                while waitpid(process, &status, 0) != process {
                    guard errno == EINTR else {
                        throw StoreError(errno: errno, "the command's exit code is unknown")
                    }
                }
                return (status, children == nil)
            }
            // The thread that handles the signal is about to end the process.
            while isEnding { pause() }
            let signal = status & 0x7F
            return signal == 0 ? .exited((status >> 8) & 0xFF) : .signaled(signal)
        }
    }

    /// Sends the signal that ends this process to the groups of its children. No further child is
    /// started.
    static func endAll(by number: Int32) {
        children.withLock { children in
            for process in children ?? [] { kill(-process, number) }
            children = nil
        }
    }

    // MARK: Text

    /// A path as a word of a shell.
    static func quoted(_ url: URL) -> String {
        let path = url.relativePath
        // What begins with a hyphen would be an option.
        return quoted(path.utf8.first == UInt8(ascii: "-") ? "./\(path)" : path)
    }

    /// A text as a word of a shell.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || "/._-+@".utf8.contains(byte)
        }
        return plain ? word : "'" + word.replacingScalars(["'": "'\\''"]) + "'"
    }
}
