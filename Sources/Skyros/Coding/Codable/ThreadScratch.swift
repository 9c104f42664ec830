import Foundation

/// A place per thread for one object that is worth keeping between uses.
///
/// Encoding and decoding need buffers. Every thread keeps one set of them, so that a call costs
/// neither allocations nor a lock. The object is taken out while it is in use: a user's
/// `encode(to:)` that calls the library again finds the place empty and gets a fresh object.
struct ThreadScratch<Object: AnyObject>: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        let code = pthread_key_create(&key) { pointer in
            // The parameter is optional on Linux and is not on Apple's platforms.
            let object: UnsafeMutableRawPointer? = pointer
            if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
        }
        precondition(code == 0, "The process has run out of thread-specific keys.")
        self.key = key
    }

    /// The thread's object, which is now the caller's alone; nil if there is none. O(1).
    func take() -> Object? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        pthread_setspecific(key, nil)
        return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Leaves an object for the thread's next use, unless there is one already. O(1).
    func put(_ object: Object) {
        guard pthread_getspecific(key) == nil else { return }
        pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
    }
}
