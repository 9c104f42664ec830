/// A closure that threads share in a `Locked`.
///
/// A closure by itself must not be the value of a generic type that is changed in place: each
/// access takes it out in one calling convention and puts it back in another, and wraps it twice.
/// After tens of thousands of accesses the call overflows the stack.
package struct Callback<Argument>: Sendable {
    package let call: @Sendable (Argument) -> Void

    package init(_ call: @escaping @Sendable (Argument) -> Void) {
        self.call = call
    }
}
