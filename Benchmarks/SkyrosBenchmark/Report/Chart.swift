import Foundation

/// The ratios as a picture: bars from the line in the middle, to the right where Skyros is
/// better, to the left where its peer is; each gridline is ten times the one before.
struct Chart {
    private let groups: [Group]
    /// Decades to the left and to the right of 1.
    private let decades: (left: Int, right: Int)

    /// The bars of one variant.
    private struct Group {
        let workload: String
        let variant: String
        let bars: [Comparison]

        var height: Double { Double(bars.count) * Chart.barPitch + 8 }
    }

    private static let width = 960.0
    private static let labelWidth = 400.0
    /// Room for the numbers at the bars' ends.
    private static let margin = 56.0
    private static let headHeight = 62.0
    private static let titleHeight = 26.0
    private static let barPitch = 13.0
    private static let barHeight = 10.0
    /// Longer bars are cut; their number says how long they would be.
    private static let decadesMax = 3

    init(_ comparisons: [Comparison]) {
        var groups: [Group] = []
        for bar in comparisons {
            if let last = groups.last, last.workload == bar.workload, last.variant == bar.variant {
                groups[groups.count - 1] = Group(
                    workload: bar.workload, variant: bar.variant, bars: last.bars + [bar])
            } else {
                groups.append(Group(workload: bar.workload, variant: bar.variant, bars: [bar]))
            }
        }
        self.groups = groups
        let logarithms = comparisons.map { log10($0.ratio) }
        let left = Int((-(logarithms.min() ?? 0)).rounded(.up))
        let right = Int((logarithms.max() ?? 0).rounded(.up))
        decades = (min(max(left, 1), Self.decadesMax), min(max(right, 1), Self.decadesMax))
    }

    /// The picture.
    var svg: String {
        var body: [String] = []
        var y = Self.headHeight
        var workload = ""
        for group in groups {
            if group.workload != workload {
                workload = group.workload
                body.append(title(workload, at: y))
                y += Self.titleHeight
            }
            body += self.body(of: group, at: y)
            y += group.height
        }
        let height = y + 12
        let background =
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \
            \(number(height))" font-family="sans-serif" font-size="11" fill="#222">
            \(([background] + legend + grid(to: y) + body).joined(separator: "\n"))
            </svg>

            """
    }

    // MARK: Parts

    private func title(_ workload: String, at y: Double) -> String {
        let title = Workload.all.first { $0.name == workload }?.title ?? ""
        return text("\(workload)  \(title)", x: 12, y: y + 18, extra: "font-weight=\"bold\"")
    }

    private func body(of group: Group, at y: Double) -> [String] {
        let middle = y + Double(group.bars.count) * Self.barPitch / 2 + 3
        var parts = [
            text(
                group.variant.isEmpty ? group.bars[0].unit : group.variant,
                x: Self.labelWidth - 12, y: middle, extra: "text-anchor=\"end\"")
        ]
        for (index, bar) in group.bars.enumerated() {
            parts += self.bar(bar, at: y + Double(index) * Self.barPitch)
        }
        return parts
    }

    private func bar(_ bar: Comparison, at y: Double) -> [String] {
        let end = x(of: bar.ratio)
        let start = min(end, x(of: 1))
        let length = max(abs(end - x(of: 1)), 1)
        let isRight = bar.ratio >= 1
        let rectangle =
            "<rect x=\"\(number(start))\" y=\"\(number(y))\" width=\"\(number(length))\" "
            + "height=\"\(number(Self.barHeight))\" fill=\"\(Self.color(bar.peer))\"/>"
        let label = text(
            TextTable.ratio(bar.ratio), x: end + (isRight ? 4 : -4), y: y + Self.barHeight - 1,
            extra: "text-anchor=\"\(isRight ? "start" : "end")\" font-size=\"10\"")
        return [rectangle, label]
    }

    private var legend: [String] {
        var parts = [
            text(
                "Skyros beside its peers: to the right, Skyros is better", x: 12, y: 20,
                extra: "font-size=\"14\" font-weight=\"bold\"")
        ]
        var x = Self.labelWidth + 120
        for side in Side.allCases where side != .skyros {
            parts.append(
                "<rect x=\"\(number(x))\" y=\"11\" width=\"10\" height=\"10\" "
                    + "fill=\"\(Self.color(side.rawValue))\"/>")
            parts.append(text("beside \(side.rawValue)", x: x + 15, y: 20))
            x += 130
        }
        return parts
    }

    private func grid(to bottom: Double) -> [String] {
        (-decades.left...decades.right).flatMap { decade in
            let place = x(of: pow(10, Double(decade)))
            let top = Self.headHeight - 12
            let stroke = decade == 0 ? "#222" : "#ddd"
            let name =
                decade < 0
                ? "1/\(Int(pow(10, -Double(decade))))" : "\(Int(pow(10, Double(decade))))"
            return [
                "<line x1=\"\(number(place))\" y1=\"\(number(top))\" x2=\"\(number(place))\" "
                    + "y2=\"\(number(bottom))\" stroke=\"\(stroke)\"/>",
                text("\(name) ×", x: place, y: top - 5, extra: "text-anchor=\"middle\""),
            ]
        }
    }

    // MARK: Helpers

    /// Where a ratio lies, on a scale of logarithms.
    private func x(of ratio: Double) -> Double {
        let left = Self.labelWidth + Self.margin
        let right = Self.width - Self.margin
        let decade = min(max(log10(ratio), -Double(decades.left)), Double(decades.right))
        let share = (decade + Double(decades.left)) / Double(decades.left + decades.right)
        return left + (right - left) * share
    }

    private static func color(_ peer: String) -> String {
        switch Side(rawValue: peer) {
        case .sqlite: "#3b76af"
        case .sqliteAudit: "#ef8536"
        default: "#9a9a9a"
        }
    }

    private func text(_ text: String, x: Double, y: Double, extra: String = "") -> String {
        let escaped = text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
        let attributes = extra.isEmpty ? "" : " " + extra
        return "<text x=\"\(number(x))\" y=\"\(number(y))\"\(attributes)>\(escaped)</text>"
    }

    private func number(_ value: Double) -> String {
        String(format: "%.1f", value)
    }
}
