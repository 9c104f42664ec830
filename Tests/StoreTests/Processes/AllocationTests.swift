#if canImport(Glibc)
    import Foundation
    import TestSupport
    import Testing

    /// Counts the allocations of reads: a cost that does not depend on the machine.
    @Suite(.enabled(if: !Sanitizer.isEnabled, "a sanitizer's allocator cannot be traced"))
    struct `A read by id` {
        @Test func `allocates nothing if no field needs the heap`() throws {
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
            // The counter allocates 0x10e1 bytes as a marker between its rounds.
            let parts = sizes.split(separator: "0x10e1", omittingEmptySubsequences: false)
            #expect(parts.count == 7)
            let isAnyRoundFree = parts.dropFirst().dropLast().contains { $0.isEmpty }
            #expect(isAnyRoundFree, "\(parts.dropLast())")
        }
    }
#endif
