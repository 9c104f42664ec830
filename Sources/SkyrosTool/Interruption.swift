import Foundation
import SkyrosDisk

/// What the tool does at signals: SIGINT, SIGTERM and SIGHUP end it as they do by default, after
/// its unfinished files are removed. A command that would run for ever ends by itself. SIGPIPE is
/// ignored, so that writing to a closed pipe is an error like any other.
enum Interruption {
    /// Prepares the process. Call it first, while there is one thread: later ones inherit the mask.
    static func prepare() {
        keepStandardDescriptorsTaken()
        signal(SIGPIPE, SIG_IGN)
        var handled = sigset_t()
        sigemptyset(&handled)
        for number in [SIGINT, SIGTERM, SIGHUP] {
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
        UnfinishedFiles.removeAll {
            ProgressBar.erase()
            signal(number, SIG_DFL)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
        }
    }
}
