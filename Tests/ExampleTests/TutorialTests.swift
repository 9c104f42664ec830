import Foundation
import Testing

@Suite struct `The tutorial` {
    @Test func `shows the code of the example`() throws {
        let code = try Page("docs/tutorial.md").code
        let sources = try Page.sources(in: "Examples/Kanban", "Tests/ExampleTests")
        for block in code { #expect(sources.contains(block.words), "\(block)") }
        #expect(code.count > 20)
    }

    @Test func `of a bug shows the code of its example`() throws {
        let code = try Page("docs/finding-a-bug.md").code
        let sources = try Page.sources(in: "Examples/Ledger", "Tests/ExampleTests")
        for block in code { #expect(sources.contains(block.words), "\(block)") }
        #expect(code.count > 15)
    }

    /// Every declaration of the example but those of the terminal is in the tutorial.
    @Test(arguments: ["Entities", "Workspace", "Workspace+Live", "Workspace+Past"])
    func `builds the example to its end`(name: String) throws {
        let text = try Page("docs/tutorial.md").text.words
        let source = try Page("Examples/Kanban/\(name).swift").text
        let declarations = source.split(separator: "\n").filter {
            $0.contains("func ") || $0.contains("struct ") || $0.contains("init(")
        }
        for declaration in declarations {
            #expect(text.contains(String(declaration).words), "\(declaration)")
        }
        #expect(!declarations.isEmpty)
    }
}
