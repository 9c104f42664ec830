#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @Suite(.long) struct `A mount namespace` {
        @Test(.enabled(if: LoopDevice.isPossible, LoopDevice.requirements))
        func `has what the tests mount, and the machine has not`() throws {
            let directory = try TemporaryDirectory()
            let device = try LoopDevice(in: directory, bytes: 8 << 20)
            #expect(MountNamespace.isMounted(below: directory.path, of: "self"))
            #expect(
                MountNamespace.isMounted(below: directory.path, of: "1")
                    == !MountNamespace.isPrivate)
            try device.unmount()
        }

        @Test(.enabled(if: LoopDevice.isPossible, LoopDevice.requirements))
        func `ends with a killed process and everything that it mounted`() throws {
            let directory = try TemporaryDirectory()
            let script = """
                mount -t tmpfs tmpfs "$0" && grep -c " $0 " /proc/self/mountinfo && kill -KILL $$
                """
            let process = Process()
            process.executableURL = Repository.root.appending(path: "scripts/private-mounts")
            process.arguments = ["sh", "-c", script, directory.path]
            let outcome = try process.outcome()
            #expect(outcome.output == "1\n", "\(outcome.errors)")
            #expect(outcome.wasSignaled)
            #expect(!MountNamespace.isMounted(below: directory.path, of: "self"))
        }
    }
#endif
