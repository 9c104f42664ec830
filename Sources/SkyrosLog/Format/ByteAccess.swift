extension [UInt8] {
    /// `withUnsafeBytes` with typed errors.
    @inlinable
    @inline(__always)
    package func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let result = withUnsafeBytes { bytes in
            Result { () throws(E) in try body(bytes) }
        }
        return try result.get()
    }
}
