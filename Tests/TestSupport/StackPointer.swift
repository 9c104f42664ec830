/// Where the stack of the calling thread is.
package enum StackPointer {
    /// An address in the frame of this call.
    package static var current: Int { address(ofRoomFor: 1) }

    // The address sanitizer moves what has a known size to a stack that it keeps beside the real
    // one, and no room whose size comes with the call.
    @inline(never)
    private static func address(ofRoomFor bytes: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: bytes, alignment: 1) {
            Int(bitPattern: $0.baseAddress)
        }
    }
}

extension [Int] {
    /// How far apart the least and the greatest are.
    package var spread: Int { (self.max() ?? 0) - (self.min() ?? 0) }
}
