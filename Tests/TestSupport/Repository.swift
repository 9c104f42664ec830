package import Foundation

/// The source repository of the tests.
package enum Repository {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
