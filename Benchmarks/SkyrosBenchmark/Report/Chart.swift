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
        return SVG.picture(width: Self.width, height: y + 12, legend + grid(to: y) + body)
    }

    // MARK: Parts

    private func title(_ workload: String, at y: Double) -> String {
        let title = Workload.all.first { $0.name == workload }?.title ?? ""
        return SVG.text("\(workload)  \(title)", x: 12, y: y + 18, extra: "font-weight=\"bold\"")
    }

    private func body(of group: Group, at y: Double) -> [String] {
        let middle = y + Double(group.bars.count) * Self.barPitch / 2 + 3
        var parts = [
            SVG.text(
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
        let rectangle = SVG.rectangle(
            x: start, y: y, width: length, height: Self.barHeight,
            fill: SVG.color(Side(rawValue: bar.peer)))
        let label = SVG.text(
            TextTable.ratio(bar.ratio), x: end + (isRight ? 4 : -4), y: y + Self.barHeight - 1,
            extra: "text-anchor=\"\(isRight ? "start" : "end")\" font-size=\"10\"")
        return [rectangle, label]
    }

    private var legend: [String] {
        var parts = [
            SVG.text(
                "Skyros beside its peers: to the right, Skyros is better", x: 12, y: 20,
                extra: "font-size=\"14\" font-weight=\"bold\"")
        ]
        var x = Self.labelWidth + 120
        for side in Side.allCases where side != .skyros {
            parts.append(
                SVG.rectangle(x: x, y: 11, width: 10, height: 10, fill: SVG.color(side)))
            parts.append(SVG.text("beside \(side.rawValue)", x: x + 15, y: 20))
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
                SVG.line((place, top), (place, bottom), stroke: stroke),
                SVG.text("\(name) ×", x: place, y: top - 5, extra: "text-anchor=\"middle\""),
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
}
