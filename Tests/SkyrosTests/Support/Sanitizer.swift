import Foundation

/// What the tests are built with.
enum Sanitizer {
    /// Whether one watches, which brings an allocator of its own.
    static let isThere = ["__tsan_init", "__asan_init"].contains { (name: String) in
        dlsym(nil, name) != nil
    }
}
