import Foundation
import Skyros

/// A buffered writer of text to a file descriptor: a long output takes few system calls, and is
/// never in memory as a whole.
final class TextSink {
    private let descriptor: Int32
    /// The name for error messages.
    private let name: String
    private var pending: [UInt8] = []
    /// Whether the reader of the pipe has closed it.
    private(set) var isClosed = false

    private static let bufferBytes = 64 << 10

    init(_ descriptor: Int32, _ name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Writes a line.
    ///
    /// - Throws: `StoreError` with `.io` or `.diskFull`.
    func line(_ text: String) throws {
        pending.append(contentsOf: text.utf8)
        pending.append(UInt8(ascii: "\n"))
        if pending.count >= Self.bufferBytes { try flush() }
    }

    /// Writes what is in the buffer. After an error the buffer is empty: the rest is lost.
    func flush() throws {
        defer { pending.removeAll(keepingCapacity: true) }
        var start = 0
        while start < pending.count {
            let count = pending.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count >= 0 {
                start += count
            } else {
                try wait(after: errno)
            }
        }
    }

    /// Returns if the write can be tried again after this error.
    private func wait(after code: Int32) throws {
        switch code {
        case EINTR: return
        case EAGAIN:
            // Another process has made the shared pipe or terminal non-blocking.
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&request, 1, -1)
        default:
            isClosed = code == EPIPE
            throw StoreError(errno: code, "\(name) cannot be written")
        }
    }
}

extension StoreError {
    /// An error of the operating system.
    init(errno code: Int32, _ what: String) {
        let isFull = code == ENOSPC || code == EDQUOT
        self.init(isFull ? .diskFull : .io, "\(what): \(String(cString: strerror(code)))")
    }
}
