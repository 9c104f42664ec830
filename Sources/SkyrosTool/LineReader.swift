import Foundation
import SkyrosDisk

/// Reads lines from the standard input: on a terminal with a prompt, with editing and the earlier
/// lines if the system has libedit.
///
/// libedit is found when it is needed, so that nothing else depends on it.
struct LineReader {
    /// Whether a person types the lines.
    let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    private let editor: Editor?

    private struct Editor {
        typealias ReadLine =
            @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>?
        typealias AddLine = @convention(c) (UnsafePointer<CChar>?) -> Int32

        let readLine: ReadLine
        let addLine: AddLine

        /// Nil if the system has no libedit.
        init?() {
            let names = ["libedit.so.2", "libedit.3.dylib", "libedit.so"]
            guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
                let readLine = dlsym(library, "readline"),
                let addLine = dlsym(library, "add_history")
            else { return nil }
            // The casts are those that `man 3 dlsym` prescribes; the types are those of
            // editline/readline.h.
            self.readLine = unsafeBitCast(readLine, to: ReadLine.self)
            self.addLine = unsafeBitCast(addLine, to: AddLine.self)
        }
    }

    init() {
        guard isInteractive else {
            editor = nil
            return
        }
        setlocale(LC_CTYPE, "")
        editor = Editor()
        Self.noteTerminal()
    }

    /// The next line; nil at the end of the input.
    func next(prompt: String) -> String? {
        guard let editor else {
            if isInteractive { ErrorOutput.write(prompt) }
            return readLine(strippingNewline: true)
        }
        guard let line = editor.readLine(prompt) else { return nil }
        defer { free(line) }
        return String(cString: line)
    }

    /// Adds to the lines that the arrow keys bring back.
    func remember(_ text: String) {
        _ = editor?.addLine(text)
    }

    // MARK: The terminal

    private static let settings = Locked<termios?>(nil)

    private static func noteTerminal() {
        settings.withLock { settings in
            var current = termios()
            if tcgetattr(STDIN_FILENO, &current) == 0 { settings = current }
        }
    }

    /// Gives the terminal back the settings that it had before a line was edited: for a process
    /// that a signal ends meanwhile.
    static func restoreTerminal() {
        settings.withLock { settings in
            guard var settings else { return }
            // A process in the background would be stopped instead.
            var (output, before) = (sigset_t(), sigset_t())
            sigemptyset(&output)
            sigaddset(&output, SIGTTOU)
            pthread_sigmask(SIG_BLOCK, &output, &before)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
    }
}
