import Foundation
import Skyros
import SkyrosDisk

/// The page of a report without its data: one file with style and script, which loads nothing.
///
/// Its sources are in `Page/`. The page's policy lets only scripts and styles run that have the
/// nonce, which is random: markup that got out of the data would have no effect.
struct ReportPage {
    private let before: String
    private let after: String
    private let nonce: String

    init(title: String, entropy: some Entropy = SystemEntropy()) {
        let random = (entropy.next(), entropy.next())
        nonce = String(random.0, radix: 36) + String(random.1, radix: 36)
        let script = Self.scripts.map(Self.text).joined(separator: "\n")
        var page = Self.text(PackageResources.page_html)
        page = page.replacing("{{nonce}}", with: nonce)
        page = page.replacing("{{style}}", with: Self.text(PackageResources.page_css))
        page = page.replacing("{{script}}", with: script)
        let parts = page.split(separator: "{{data}}\n", maxSplits: 1).map(String.init)
        before = parts[0].replacing("{{title}}", with: ScriptText.html(title))
        after = parts[1]
    }

    /// The parts of the script, in their order.
    private static let scripts = [
        PackageResources.model_js, PackageResources.values_js, PackageResources.charts_js,
        PackageResources.lists_js, PackageResources.views_js, PackageResources.page_js,
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Writes the page with the data that `body` writes, each as JSON.
    func write(to sink: TextSink, _ body: ((_ json: String) throws -> Void) throws -> Void) throws {
        try sink.line(String(before.dropLast()))
        try body { json in
            try sink.line("<script type=\"application/json\" class=\"data\">\(json)</script>")
        }
        try sink.line(String(after.dropLast()))
    }
}
