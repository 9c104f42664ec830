#if canImport(Glibc)
    import Foundation
    import TestSupport
    import Testing

    /// What reads cost, in numbers that no machine changes.
    @Suite(.enabled(if: !Sanitizer.isThere, "its allocator cannot be traced"))
    struct `A read by id` {
        @Test func `allocates nothing where no field lies on the heap`() throws {
            let directory = try TemporaryDirectory()
            let trace = directory.url.appending(path: "trace")
            let process = try Program("AllocationCounter").process([directory.url.path])
            process.environment?["LD_PRELOAD"] = "libc_malloc_debug.so.0"
            process.environment?["MALLOC_TRACE"] = trace.path
            let outcome = try process.outcome()
            try #require(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output == "1003000.0\n")
            let lines = try String(contentsOf: trace, encoding: .utf8).split(separator: "\n")
            let sizes = lines.filter { line in
                [" + ", " > "].contains { line.contains($0) }
            }.map { $0.split(separator: " ").last }
            // Some on purpose, to see that they are noted, and between them those of a round.
            let parts = sizes.split(separator: "0x10e1", omittingEmptySubsequences: false)
            #expect(parts.count == 7)
            let isOneFree = parts.dropFirst().dropLast().contains { $0.isEmpty }
            #expect(isOneFree, "\(parts.dropLast())")
        }
    }
#endif
