import Testing

@Suite struct `The scanner` {
    private func code(_ text: String) -> String {
        String(decoding: SourceScanner(text).code, as: UTF8.self)
    }

    private func words(_ text: String) -> [String] {
        SourceFile("A.swift", text).tokens.filter(\.isWord).map(\.text)
    }

    @Test func `drops comments and keeps their place`() {
        #expect(code("a // b\nc") == "a     \nc")
        #expect(code("a /* b /* c */\nd */ e") == "a             \n     e")
        let comments = SourceScanner("a // b\nc").comments
        #expect(String(decoding: comments, as: UTF8.self) == "  // b\n ")
    }

    @Test func `drops what stands in a string`() {
        #expect(words(##"a("b // c", #"d"e"#, """##) == ["a"])
        #expect(words("a \"\"\"\n  b \"c\" d\n  \"\"\" e") == ["a", "e"])
        #expect(words(#"a "b \" c" d"#) == ["a", "d"])
    }

    @Test func `keeps the code in an interpolation`() {
        #expect(words(#"a "b \(c("d", e)) f" g"#) == ["a", "c", "e", "g"])
        #expect(words(##"a #"b \(c) \#(d) e"# f"##) == ["a", "d", "f"])
    }

    @Test func `takes a sentence in backticks for one word`() {
        #expect(words("func `is a func`()") == ["func", "`is_a_func`"])
    }

    @Test func `drops regular expressions between number signs`() {
        #expect(words(#"a #/b"c/# d"#) == ["a", "d"])
        #expect(words("#if os(Linux)") == ["if", "os", "Linux"])
    }
}

@Suite struct `The parser of declarations` {
    private func names(_ text: String) -> [String] {
        SourceFile("A.swift", text).declarations.map { "\($0.keyword) \($0.name)" }
    }

    @Test func `finds types and their members`() {
        let text = """
            public struct A<T>: B where T: C {
                private(set) public var d = [1].map { $0 }
                @E(f: ()) static func < (a: A, b: A) -> Bool { let g = 1; return true }
                init(from h: I) { self.init(h) }
            }
            """
        #expect(names(text) == ["struct A", "var d", "func <", "init init"])
        let declarations = SourceFile("A.swift", text).declarations
        #expect(declarations[1].modifiers == ["public"])
        #expect(declarations[3].firstLabel == "from")
        #expect(declarations.map(\.lastLine) == [5, 2, 3, 4])
    }

    @Test func `tells cases of an enum from those of a switch`() {
        let text = """
            enum A {
                case open
                case b(Int)
                func c() { switch self { case .open: break; case .b(let d): e(d) } }
            }
            """
        #expect(names(text) == ["enum A", "case open", "case b", "func c"])
        #expect(SourceFile("A.swift", text).declarations[2].modifiers.isEmpty)
    }

    @Test func `takes the words of the language for names where they are`() {
        #expect(
            names("let actor = A()\nimport struct B.C\nfunc d(actor: E) {}") == [
                "let actor", "func d",
            ])
        #expect(
            names("class A {}\nfinal class B { class func c() {} }") == [
                "class A", "class B", "func c",
            ])
    }

    @Test func `gives a body to what has one`() {
        let text = """
            protocol A {
                func b() -> C
                var d: Int { get }
            }
            struct E {
                var f: Int
                var g = 1
                func h(i: () -> Void = {}) {
                }
            }
            """
        let bodies = SourceFile("A.swift", text).declarations.filter(\.hasBody)
        #expect(bodies.map(\.name) == ["A", "d", "E", "h"])
    }
}
