import Foundation
import TestSupport

/// A pseudoterminal.
enum Terminal {
    /// Runs a program, which must end with `status`, with a pseudoterminal as its standard error,
    /// and returns what it printed there. Python opens the pseudoterminal, because its `pty` works
    /// on every system.
    static func errors(of process: Process, status: Int32 = 0) throws -> String {
        let program = """
            import os, pty, subprocess, sys
            terminal, end = pty.openpty()
            code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=end)
            os.close(end)
            try:
                while data := os.read(terminal, 4096):
                    sys.stdout.buffer.write(data)
            except OSError:
                pass
            sys.exit(code)
            """
        let python = Process()
        python.executableURL = Repository.root.appending(path: ".build/python/bin/python3")
        python.arguments =
            ["-c", program] + [process.executableURL?.path ?? ""] + (process.arguments ?? [])
        python.environment = process.environment
        let outcome = try python.outcome()
        guard outcome.status == status else {
            throw Shell.Failure(description: "\(outcome.status): \(outcome.errors)")
        }
        return outcome.output
    }
}
