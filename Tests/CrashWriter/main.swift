// Writes to a store until it is killed, or checks what a killed one has left.
//
//     crash-writer write STORE ACKNOWLEDGEMENTS LEVEL
//     crash-writer verify STORE ACKNOWLEDGEMENTS LEVEL
//
// The writer appends the number of each event to a file once its write has returned, and says it
// on its output too. The verifier knows nothing but the store and that file.

import Foundation
import Skyros

guard CommandLine.arguments.count == 5,
    let durability = ["deferred": Durability.deferred, "buffered": .buffered, "durable": .durable][
        CommandLine.arguments[4]]
else {
    FileHandle.standardError.write(Data("usage: crash-writer write|verify STORE FILE LEVEL\n".utf8))
    exit(2)
}
let storeURL = URL(filePath: CommandLine.arguments[2])
let file = URL(filePath: CommandLine.arguments[3])

do {
    if CommandLine.arguments[1] == "write" {
        try write(to: storeURL, acknowledging: file, durability)
    } else {
        print(try verify(storeURL, against: file, durability))
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
