import Testing

@Suite struct `The parser of traces` {
    private func only(_ text: String) throws -> TraceCall {
        let calls = TraceParser.calls(in: text)
        try #require(calls.count == 1)
        return calls[0]
    }

    @Test func `reads thread, name, arguments and result of a call`() throws {
        let call = try only(
            #"7 openat(5</s/events>, "a, \"b\" (c)", O_RDWR|O_CREAT, 0600) = 6</s/events/x>"#)
        #expect(call.thread == 7)
        #expect(call.name == "openat")
        #expect(call.arguments.count == 4)
        #expect(call.subject == #"/s/events/a, "b" (c)"#)
        #expect(call.result == 6)
        #expect(call.succeeded)
        #expect(call.began == 1 && call.ended == 1)
    }

    @Test func `tells a failed call from one that was made to fail`() throws {
        let failed = try only(
            "7 fdatasync(6</s/x>)   = -1 EIO (Input/output error) (INJECTED)")
        #expect(failed.error == "EIO" && failed.isInjected && !failed.succeeded)
        let absent = try only(#"7 unlink("/s/x") = -1 ENOENT (No such file or directory)"#)
        #expect(absent.error == "ENOENT" && !absent.isInjected)
    }

    @Test func `joins the two parts of an interrupted call`() throws {
        let calls = TraceParser.calls(
            in: """
                7 pread64(6</s/x>,  <unfinished ...>
                8 fsync(5</s>) = 0
                --- SIGCHLD {si_signo=SIGCHLD} ---
                7 <... pread64 resumed>"\\xb5\\x01\\n"..., 96, 0) = 3
                8 +++ exited with 0 +++
                """)
        #expect(calls.map(\.name) == ["pread64", "fsync"])
        #expect(calls[0].began == 1 && calls[0].ended == 4)
        #expect(calls[0].bytes(1) == [0xB5, 1, 10])
        #expect(calls[0].arguments[2] == "96")
    }

    @Test func `keeps calls that never returned`() throws {
        for end in ["fsync(5</s>) = ?", "fsync(5</s> <unfinished ...>"] {
            let call = try only("7 \(end)\n7 +++ killed by SIGKILL +++\n")
            #expect(call.descriptorPath(0) == "/s")
            #expect(call.result == nil && call.ended == nil && !call.succeeded)
        }
    }

    @Test func `decodes every escape sequence`() {
        #expect(TraceText.bytes(#""a\n\t\"\\\0\12\x7f""#) == [97, 10, 9, 34, 92, 0, 10, 127])
        #expect(TraceText.bytes("0x7ffe") == nil)
    }
}
