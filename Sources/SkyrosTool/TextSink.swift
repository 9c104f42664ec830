import Foundation
import Skyros

/// A buffered writer of lines, so that a long export is never in memory as a whole.
final class TextSink {
    private let descriptor: Int32
    /// The name for error messages.
    private let name: String
    private var pending: [UInt8] = []

    private static let bufferBytes = 64 << 10

    private init(_ descriptor: Int32, _ name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Calls `body` with a sink for the standard output.
    static func withOutput(_ body: (TextSink) throws -> Void) throws {
        let sink = TextSink(STDOUT_FILENO, "the standard output")
        try body(sink)
        try sink.flush()
    }

    /// Calls `body` with a sink for a new file, which is removed after an error.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the file exists, `.io` or `.diskFull`; errors
    ///   of `body`.
    static func withNewFile(at url: URL, _ body: (TextSink) throws -> Void) throws {
        let path = url.path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw failure(errno, "\(path) cannot be created") }
            throw StoreError(
                .invalidInput, "\(path) exists already; remove it or name another")
        }
        do {
            let sink = TextSink(descriptor, path)
            try body(sink)
            try sink.flush()
        } catch {
            close(descriptor)
            unlink(path)
            throw error
        }
        // Some file systems only report at this point that the disk is full.
        guard close(descriptor) == 0 else {
            let failure = failure(errno, "\(path) cannot be written")
            unlink(path)
            throw failure
        }
    }

    /// Writes a line.
    func line(_ text: String) throws {
        pending.append(contentsOf: text.utf8)
        pending.append(UInt8(ascii: "\n"))
        if pending.count >= Self.bufferBytes { try flush() }
    }

    private func flush() throws {
        var start = 0
        while start < pending.count {
            let count = pending.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count >= 0 {
                start += count
            } else if errno != EINTR {
                throw Self.failure(errno, "\(name) cannot be written")
            }
        }
        pending.removeAll(keepingCapacity: true)
    }

    private static func failure(_ code: Int32, _ what: String) -> StoreError {
        let isFull = code == ENOSPC || code == EDQUOT
        return StoreError(isFull ? .diskFull : .io, "\(what): \(String(cString: strerror(code)))")
    }
}
