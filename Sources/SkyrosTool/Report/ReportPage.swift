import Foundation
import Skyros
import SkyrosDisk
import SkyrosReport

/// The page of a report without its data: one file with style and script, which loads nothing.
///
/// The page's policy lets only scripts and styles run that have the nonce, which is random: markup
/// that got out of the data would have no effect.
struct ReportPage {
    private let before: String
    private let after: String

    init(title: String, entropy: some Entropy = SystemEntropy()) {
        let random = (entropy.next(), entropy.next())
        let nonce = String(random.0, radix: 36) + String(random.1, radix: 36)
        let page = PageSource.html.replacing("{{nonce}}", with: nonce)
            .replacing("{{style}}", with: PageSource.style)
            .replacing("{{script}}", with: PageSource.script)
        let parts = page.split(separator: "\n{{data}}\n", maxSplits: 1).map(String.init)
        before = parts[0].replacing("{{title}}", with: ScriptText.html(title))
        after = parts[1]
    }

    /// Writes the page with the data that `body` writes, each as JSON.
    func write(to sink: TextSink, _ body: ((_ json: String) throws -> Void) throws -> Void) throws {
        try sink.line(before)
        try body { json in
            try sink.line("<script type=\"application/json\" class=\"data\">\(json)</script>")
        }
        try sink.line(after)
    }
}
