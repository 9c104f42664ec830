// Writes to a store, or checks what a writer has left.
//
//     crash-writer write STORE ACKNOWLEDGEMENTS LEVEL     until it is killed
//     crash-writer run STORE ACKNOWLEDGEMENTS LEVEL       so many events, whatever fails; closes
//     crash-writer copy STORE ACKNOWLEDGEMENTS LEVEL      the same, copying its process in between
//     crash-writer verify STORE ACKNOWLEDGEMENTS LEVEL
//
//     --events N      what `run` writes; 40
//     --threads N     how many write at the same time; 1
//     --interval N    the milliseconds after which the background syncs, and marks an idle store; 5
//     --trap N        the write block of event N ends the process
//     --boot NAME     what the store takes for this boot of the machine; the system's
//
// The writer appends the number of each event to a file once its write has returned, and says it
// on its output too. The verifier knows nothing but the store and that file.
//
// The exit code is 1 after a typed error, 2 after a wrong command, 3 after an error in the
// background, 4 if a promise was broken, 5 after any other error.

import Foundation
import Skyros

func complain(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

// It does nothing but interrupt a call that waits.
var interruption = sigaction()
#if canImport(Darwin)
    interruption.__sigaction_u.__sa_handler = { _ in }
#else
    interruption.__sigaction_handler.sa_handler = { _ in }
#endif
sigaction(SIGUSR1, &interruption, nil)

guard let job = Job(CommandLine.arguments.dropFirst()) else {
    complain(
        "usage: crash-writer write|run|copy|verify STORE FILE LEVEL "
            + "[--events N] [--threads N] [--interval N] [--trap N] [--boot NAME]")
    exit(2)
}

do {
    switch job.role {
    case .write: try job.write()
    case .run: try job.run()
    case .copy: try job.copy()
    case .verify: print(try job.verify())
    }
} catch {
    complain("\(error)")
    exit(error is StoreError ? 1 : error is Broken ? 4 : 5)
}
