import Foundation
import SkyrosDisk

/// What the tool does at signals: SIGINT, SIGTERM and SIGHUP end it as they do by default, after
/// its unfinished files are removed. A command that would run for ever ends by itself. SIGPIPE is
/// ignored, so that writing to a closed pipe is an error like any other.
enum Interruption {
    private static let endingSignals = [SIGINT, SIGTERM, SIGHUP]

    /// Prepares the process. Call it first, while there is one thread: later ones inherit the mask.
    static func prepare() {
        keepStandardDescriptorsTaken()
        signal(SIGPIPE, SIG_IGN)
        // Where it is ignored, nobody learns how a child ended.
        signal(SIGCHLD, SIG_DFL)
        var handled = sigset_t()
        sigemptyset(&handled)
        for number in endingSignals {
            // A blocked signal is not discarded, although `nohup` or a shell had it ignored.
            let previous = signal(number, SIG_DFL)
            if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            } else {
                sigaddset(&handled, number)
            }
        }
        pthread_sigmask(SIG_BLOCK, &handled, nil)
        let signals = handled
        Thread.detachNewThread { wait(for: signals) }
    }

    /// Opens what a shell's `>&-` has closed as something that cannot be written, so that no file
    /// of a store gets the number of the standard output.
    private static func keepStandardDescriptorsTaken() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is the missing one.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Whether a command ends by itself at a signal, and whether one has come.
    private static let request = Monitor((isAwaited: false, hasCome: false))

    /// From now on the first signal only ends `wait`; a second one ends the process.
    static func awaitSignal() {
        request.change { $0.isAwaited = true }
    }

    /// Waits until a signal has come, or some time has passed; returns whether a signal has come.
    static func wait(atMost milliseconds: Int) -> Bool {
        request.wait(atMost: milliseconds) { $0.hasCome ? true : nil } ?? false
    }

    private static func wait(for signals: sigset_t) {
        var signals = signals
        var number: Int32 = 0
        var isNoted: Bool
        repeat {
            while sigwait(&signals, &number) != 0 {}
            isNoted = request.change { request in
                guard request.isAwaited, !request.hasCome else { return false }
                request.hasCome = true
                return true
            }
        } while isNoted
        UnfinishedFiles.removeAll { own, shared in
            ProgressBar.erase()
            ShellCommand.endAll(by: number)
            LineReader.restoreTerminal()
            endThreads(own, shared, number)
            end(by: number)
        }
    }

    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }
}

// Other threads work until the process ends, and may make a file again that was just removed. So
// the process replaces its program by this one, which ends them, and removes such files.
extension Interruption {
    private static let option = "--end-interrupted"

    /// Does not return, unless the program cannot be replaced.
    private static func endThreads(_ own: [String], _ shared: [String], _ number: Int32) {
        guard !own.isEmpty || !shared.isEmpty else { return }
        #if os(Linux)
            let program = "/proc/self/exe"
        #else
            guard let program = Bundle.main.executablePath else { return }
        #endif
        let name = CommandLine.arguments.first ?? program
        let words = [name, option, "\(number)", "\(own.count)"] + own + shared
        var pointers = words.map { strdup($0) } + [nil]
        execv(program, &pointers)
    }

    /// Ends the process if it is one that `endThreads` has begun anew. Call it first.
    static func endIfInterrupted() {
        let words = CommandLine.arguments.dropFirst()
        guard words.first == option, words.count >= 3, let number = Int32(words[2]),
            endingSignals.contains(number), let ownCount = Int(words[3]),
            (0...words.count - 3).contains(ownCount)
        else { return }
        let paths = words.dropFirst(3)
        UnfinishedFiles.removeAgain(
            own: Array(paths.prefix(ownCount)), shared: Array(paths.dropFirst(ownCount)))
        end(by: number)
    }
}
