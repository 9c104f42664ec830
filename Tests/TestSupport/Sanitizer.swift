import Foundation

/// The sanitizer that the tests are built with.
package enum Sanitizer {
    /// Whether the tests run under the thread or address sanitizer, which replace the allocator.
    package static let isEnabled = ["__tsan_init", "__asan_init"].contains { (name: String) in
        dlsym(nil, name) != nil
    }
}
