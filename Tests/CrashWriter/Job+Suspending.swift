import Foundation
import Skyros

extension Job {
    /// Writes `eventCount` events, suspends the store and prints it. Resumes once a line comes,
    /// writes as many again, and closes.
    func suspendAndResume() throws {
        let store = try opened { complain("in the background: \($0)") }
        try writeSome(to: store)
        store.suspend()
        try FileHandle.standardOutput.write(contentsOf: Data("suspended\n".utf8))
        _ = readLine()
        try store.resume()
        try writeSome(to: store)
        try store.close()
    }

    private func writeSome(to store: Store) throws {
        // Opened again, as another process may have appended to it.
        let log = try AcknowledgementLog(acknowledgements)
        for _ in 0..<eventCount { try writeOne(to: store, log) }
    }
}
