#if Postgres
    import SkyrosLog
    import SkyrosPlatform

    /// Ends the wait of a thread that polls descriptors: a pipe with at most some bytes in it.
    final class Waker: Sendable {
        /// Can be read once `wake` was called, until `reset`.
        let descriptor: Int32
        private let input: Int32

        /// - Throws: `ServerError` with `.unavailable` if there are no descriptors left.
        init() throws(ServerError) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else {
                throw .unavailable("a pipe cannot be made: error \(errno) of the system")
            }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            (descriptor, input) = (ends[0], ends[1])
        }

        deinit {
            close(descriptor)
            close(input)
        }

        func wake() {
            var byte: UInt8 = 0
            // A pipe that is full can be read already.
            _ = write(input, &byte, 1)
        }

        func reset() {
            var bytes = [UInt8](repeating: 0, count: 512)
            while read(descriptor, &bytes, bytes.count) > 0 {}
        }
    }
#endif
