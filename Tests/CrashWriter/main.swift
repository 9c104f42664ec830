// Writes to a store, or verifies the store that a writer left.
//
//     crash-writer write STORE ACKNOWLEDGEMENTS LEVEL     writes until it is killed
//     crash-writer complete STORE ACKNOWLEDGEMENTS LEVEL  is killed in the completion of event N
//     crash-writer run STORE ACKNOWLEDGEMENTS LEVEL       writes N events despite errors, closes
//     crash-writer fork STORE ACKNOWLEDGEMENTS LEVEL      writes N events and forks in between
//     crash-writer suspend STORE ACKNOWLEDGEMENTS LEVEL   writes N events, suspends, and continues
//     crash-writer terminate STORE ACKNOWLEDGEMENTS LEVEL writes N events, waits for a signal
//     crash-writer verify STORE ACKNOWLEDGEMENTS LEVEL    checks the store
//
//     --events N      the number of events to write; default 40
//     --threads N     the number of writing threads; default 1
//     --interval N    the interval of the background sync in milliseconds; default 5
//     --trap N        traps in the write block of event N
//     --boot NAME     the boot id that the store sees; default the system's
//     --segment N     the size of the store's segments in bytes; default a few KiB
//
// After each write has returned, the writer prints the event's number and appends it to the file
// ACKNOWLEDGEMENTS. The verifier knows only the store and that file.
//
// Exit codes: 1 a StoreError, 2 wrong arguments, 3 an error in the background, 4 a broken promise,
// 5 any other error.

import Foundation
import Skyros
import SkyrosPlatform

func complain(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

// The handler does nothing: the signal only interrupts blocking system calls.
var interruption = sigaction()
interruption.handler = { _ in }
sigaction(SIGUSR1, &interruption, nil)

guard let job = Job(CommandLine.arguments.dropFirst()) else {
    complain(
        "usage: crash-writer write|complete|run|fork|suspend|terminate|verify STORE FILE "
            + "LEVEL [--events N] [--threads N] [--interval N] [--trap N] [--boot NAME] "
            + "[--segment N]")
    exit(2)
}

do {
    switch job.role {
    case .write: try job.write()
    case .complete: try job.writeUntilCompletion()
    case .run: try job.run()
    case .fork: try job.writeAndFork()
    case .suspend: try job.suspendAndResume()
    case .terminate: try job.waitForTermination()
    case .verify: print(try job.verify())
    }
} catch {
    complain("\(error)")
    exit(error is StoreError ? 1 : error is Broken ? 4 : 5)
}
