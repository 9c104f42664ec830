#if Postgres
    import SkyrosLog
    import Testing

    @testable import SkyrosPostgres

    /// For Swift, a combining mark and what comes before it are one character.
    @Suite struct `A combining mark` {
        private func expect(_ text: String, _ expected: String) {
            #expect(Array(text.utf8) == Array(expected.utf8), "\(text)")
        }

        @Test func `leaves the quote before it a quote in the name of a schema`() throws {
            expect(try PostgresSchema("a\"\u{301}b").name, "\"a\"\"\u{301}b\"")
        }

        @Test func `does not show the password before it`() throws {
            let options = try PostgresOptions(url: "postgresql://a:secret@localhost/b")
            expect(options.withoutPassword("no secret\u{301}!"), "no …\u{301}!")
        }
    }
#endif
