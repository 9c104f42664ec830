package import Foundation

/// The repository that the tests are of.
package enum Repository {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
