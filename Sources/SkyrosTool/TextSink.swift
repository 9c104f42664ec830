import Foundation
import Skyros

/// Takes lines and writes them on in pieces, so that what is long is never in memory as a whole.
final class TextSink {
    private let descriptor: Int32
    /// What errors call it.
    private let name: String
    private var pending: [UInt8] = []

    private static let pieceBytes = 64 << 10

    private init(_ descriptor: Int32, _ name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Gives the tool's output to `body`.
    static func withOutput(_ body: (TextSink) throws -> Void) throws {
        let sink = TextSink(STDOUT_FILENO, "the output")
        try body(sink)
        try sink.flush()
    }

    /// Gives a new file to `body`; if that fails the file is removed.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if something stands there already, `.io` or
    ///   `.diskFull`; what `body` throws.
    static func withNewFile(at url: URL, _ body: (TextSink) throws -> Void) throws {
        let path = url.path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw failure(errno, "\(path) cannot be made") }
            throw StoreError(
                .invalidInput, "\(path) exists already; name another file or remove it")
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
        // Some file systems tell only now that there is no room.
        guard close(descriptor) == 0 else {
            let failure = failure(errno, "\(path) cannot be written")
            unlink(path)
            throw failure
        }
    }

    /// Takes a line.
    func line(_ text: String) throws {
        pending.append(contentsOf: text.utf8)
        pending.append(UInt8(ascii: "\n"))
        if pending.count >= Self.pieceBytes { try flush() }
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
