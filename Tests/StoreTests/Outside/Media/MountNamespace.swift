#if os(Linux)
    import Foundation

    /// The mounts that processes see. `scripts/private-mounts` starts the tests in a new mount
    /// namespace, so that a run that is killed leaves no mounted file system behind.
    enum MountNamespace {
        static let requirement =
            "a private mount namespace, in which scripts/test runs the tests if it can "
            + "(SKYROS_HOST_MOUNTS=1 mounts on the machine instead)"

        /// Whether the tests may mount file systems.
        static var mayMount: Bool {
            isPrivate || ProcessInfo.processInfo.environment["SKYROS_HOST_MOUNTS"] == "1"
        }

        /// Whether the first process of the machine does not see what the tests mount.
        static let isPrivate: Bool = {
            // A mount has another number in each namespace. Comparing the links in `/proc/1/ns`
            // would need more privileges.
            let own = Set(mounts(of: "self").keys)
            let others = Set(mounts(of: "1").keys)
            return !own.isEmpty && !others.isEmpty && own.isDisjoint(with: others)
        }()

        /// The mount points that the process sees, by the numbers of the mounts.
        static func mounts(of process: String) -> [String: String] {
            let path = "/proc/\(process)/mountinfo"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            var mounts: [String: String] = [:]
            for line in text.split(separator: "\n") {
                // 64 43 7:0 / /tmp/mounted rw,relatime …
                let words = line.split(separator: " ")
                if words.count > 4 { mounts[String(words[0])] = String(words[4]) }
            }
            return mounts
        }

        /// Whether the process sees a mount in the directory or below.
        static func isMounted(below directory: String, of process: String) -> Bool {
            mounts(of: process).values.contains { $0.hasPrefix(directory) }
        }
    }
#endif
