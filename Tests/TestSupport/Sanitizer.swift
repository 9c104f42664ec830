import Foundation

/// What the tests are built with.
package enum Sanitizer {
    /// Whether one watches, which brings an allocator of its own.
    package static let isThere = ["__tsan_init", "__asan_init"].contains { (name: String) in
        dlsym(nil, name) != nil
    }
}
