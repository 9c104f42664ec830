import Foundation

/// The pieces that the charts are drawn with.
enum SVG {
    /// A picture of this size; its parts lie on white.
    static func picture(width: Double, height: Double, _ parts: [String]) -> String {
        let background = "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \
            \(number(height))" font-family="sans-serif" font-size="11" fill="#222">
            \(([background] + parts).joined(separator: "\n"))
            </svg>

            """
    }

    static func text(_ text: String, x: Double, y: Double, extra: String = "") -> String {
        let escaped = text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
        let attributes = extra.isEmpty ? "" : " " + extra
        return "<text x=\"\(number(x))\" y=\"\(number(y))\"\(attributes)>\(escaped)</text>"
    }

    static func line(
        _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), stroke: String
    ) -> String {
        "<line x1=\"\(number(from.x))\" y1=\"\(number(from.y))\" x2=\"\(number(to.x))\" "
            + "y2=\"\(number(to.y))\" stroke=\"\(stroke)\"/>"
    }

    static func rectangle(
        x: Double, y: Double, width: Double, height: Double, fill: String
    ) -> String {
        "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" "
            + "height=\"\(number(height))\" fill=\"\(fill)\"/>"
    }

    /// A line through the points, with a dot on each.
    static func path(_ points: [(x: Double, y: Double)], stroke: String) -> String {
        let line = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        let dots = points.map {
            "<circle cx=\"\(number($0.x))\" cy=\"\(number($0.y))\" r=\"2.5\" fill=\"\(stroke)\"/>"
        }
        return "<polyline points=\"\(line)\" fill=\"none\" stroke=\"\(stroke)\" "
            + "stroke-width=\"1.5\"/>" + dots.joined()
    }

    static func color(_ side: Side?) -> String {
        switch side {
        case .skyros: "#c23b22"
        case .sqlite: "#3b76af"
        case .sqliteAudit: "#ef8536"
        case .floor, nil: "#9a9a9a"
        }
    }

    static func number(_ value: Double) -> String {
        String(format: "%.1f", value)
    }
}
