/// Where the stack of the calling thread is.
package enum StackPointer {
    /// An address in the frame of this call.
    @inline(never)
    package static var current: Int {
        var byte: UInt8 = 0
        return withUnsafePointer(to: &byte) { Int(bitPattern: $0) }
    }
}

extension [Int] {
    /// How far apart the least and the greatest are.
    package var spread: Int { (self.max() ?? 0) - (self.min() ?? 0) }
}
