import Foundation
import TestSupport
import Testing

@Suite struct `A migration guide` {
    /// The pages in docs/migrating, with the capabilities of docs/parity.md that the library from
    /// which they lead has.
    struct Guide: CustomTestStringConvertible {
        let page: Page
        let capabilities: [String]
        let testDescription: String

        init(_ name: String, _ numbers: String) {
            page = Page("docs/migrating/\(name).md")
            capabilities = numbers.split(separator: " ").map { "S-\($0)" }
            testDescription = name
        }
    }

    static let guides = [
        Guide(
            "JustPersist",
            """
            001 002 003 004 005 011 013 015 016 018 021 022 023 025 027 028 029 030 032 033 \
            034 035 036 037 040 043 044 045 047 053 054 055 062 063 064 065 066 067 069 070 \
            071 072 074 077 080 081 082 083 084 085 086 087 088 089 090 091 138 139 140
            """),
        Guide(
            "Skopelos",
            """
            001 006 007 008 009 010 011 014 015 017 018 019 020 021 022 023 024 026 027 028 \
            029 030 031 034 035 040 043 044 045 046 047 048 049 050 051 052 053 054 055 057 \
            058 059 062 065 066 068 069 075 076 078 128 135 138 139 141 142
            """),
        Guide(
            "Skiathos",
            """
            001 009 010 013 014 015 017 018 020 021 022 023 026 027 028 029 030 031 034 035 \
            040 043 044 045 046 049 050 052 058 062 065 066 069 071 075 076 128 138 140 141 \
            142
            """),
        Guide(
            "PoqSDK",
            """
            011 015 027 034 038 039 040 042 045 063 064 066 072 092 093 094 095 096 097 098 \
            099 100 101 102
            """),
        Guide(
            "SwifteroidStore",
            """
            011 012 013 014 027 030 032 037 038 040 042 068 073 079 103 104 105 106 107 108 \
            109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 \
            129 130 131 132 133 134 136
            """),
    ]

    @Test(arguments: guides) func `shows code that is compiled and run here`(guide: Guide) throws {
        let code = try guide.page.code
        let tests = try Page.sources(in: "Tests/ExampleTests/Guides")
        for block in code { #expect(tests.contains(block.words), "\(guide): \(block)") }
        #expect(code.count > 10)
    }

    @Test(arguments: guides) func `names every capability of the ancestor`(guide: Guide) throws {
        let text = try guide.page.text
        #expect(guide.capabilities.filter { !text.contains($0) } == [])
    }

    @Test func `is in the index`() throws {
        let index = try Page("docs/migrating/README.md").text
        for guide in Self.guides { #expect(index.contains("](\(guide.testDescription).md)")) }
    }
}
