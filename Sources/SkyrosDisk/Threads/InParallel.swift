/// Runs `here` on the calling thread and `there` on another one, and returns both results after
/// both have ended.
///
/// Without another thread, both run on the calling one.
///
/// - Parameter isWorthIt: if false, both run on the calling thread, one after the other.
/// - Throws: what one of them throws; what `here` throws if both do.
package func inParallel<A, B: Sendable, E: Error>(
    when isWorthIt: Bool, _ here: () throws(E) -> A,
    _ there: @escaping @Sendable () throws(E) -> B
) throws(E) -> (A, B) {
    guard isWorthIt else { return (try here(), try there()) }
    let other = Monitor<Result<B, E>?>(nil)
    let queue = SerialQueue()
    // Waits for the other half even if this one throws.
    defer { queue.stop() }
    do throws(ThreadShortage) {
        try queue.enqueue {
            let result = Result { () throws(E) in try there() }
            other.change { $0 = result }
        }
    } catch {
        return (try here(), try there())
    }
    let result = try here()
    return (result, try other.wait { $0 }.get())
}
