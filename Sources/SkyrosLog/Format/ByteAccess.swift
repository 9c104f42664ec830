extension [UInt8] {
    /// `withUnsafeBytes` with typed errors.
    @inlinable
    @inline(__always)
    package func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try withUnsafeBufferPointer { bytes throws(E) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
