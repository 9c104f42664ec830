import Foundation
import Skyros

/// A file that says how far the events of a store were handled: the number of the last one, and the
/// chain hash through it.
///
///     4711 0f3a29c0d51be877
struct PositionFile {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The last event that was handled; nil if there is no such file yet.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if it is no such file, `.chainBroken` if it is
    ///   that of another store or history; as `Archive.chainText(through:)`.
    func read(for archive: Archive) throws -> SequenceNumber? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError(errno: errno, "\(path) cannot be read")
        }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw StoreError(errno: errno, "\(path) cannot be read") }
        let words = String(decoding: buffer.prefix(count), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).first?
            .split(separator: " ", omittingEmptySubsequences: false)
        guard let words, words.count == 2, let number = UInt64(digits: words[0]) else {
            throw StoreError(
                .invalidInput,
                "\(path) is no file that `skyros replay --position` has written; name another one")
        }
        let sequence = SequenceNumber(rawValue: number)
        guard try archive.chainText(through: sequence) == words[1] else {
            throw StoreError(
                .chainBroken,
                "\(path) is the position in another store or history, at event \(sequence); "
                    + "name another file to begin anew",
                at: StoreError.Place(file: path, sequences: sequence...sequence))
        }
        return sequence
    }

    /// Replaces the file, which holds either the old position or the new one at any time.
    func write(_ sequence: SequenceNumber, of archive: Archive) throws {
        let text = "\(sequence) \(try archive.chainText(through: sequence))"
        try NewFile.replaceText(at: URL(filePath: path)) { try $0.line(text) }
    }
}
