/// The sources of the page that `skyros report` writes. The files are part of the program.
package enum PageSource {
    package static let html = text(PackageResources.page_html)
    package static let style = text(PackageResources.page_css)

    /// The parts of the script in their order.
    package static let script = [
        PackageResources.model_js, PackageResources.values_js, PackageResources.charts_js,
        PackageResources.lists_js, PackageResources.views_js, PackageResources.page_js,
    ].map(text).joined(separator: "\n")

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
