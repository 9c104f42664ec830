import Foundation

/// What one piece of work costs on more and more rows, one panel a workload: a line that stays
/// level says that it costs the same. Both scales are logarithms, and a panel is as high as ten
/// times its least.
struct GrowthChart {
    private let panels: [Panel]

    /// One workload, one way to measure it.
    private struct Panel {
        let title: String
        let unit: String
        /// The cost by side and number of rows.
        var lines: [Side: [(rows: Int, cost: Double)]] = [:]

        var costs: [Double] { lines.values.joined().map(\.cost) }
    }

    private static let columnCount = 3
    private static let width = 960.0
    private static let headHeight = 40.0
    private static let panelHeight = 190.0
    private static let rows = (least: 10_000.0, most: 5_000_000.0)

    init(_ list: [Series], steps: [Growth.Step]) {
        var panels: [Panel] = []
        for series in list {
            for step in steps {
                guard let name = step.name(of: series) else { continue }
                let costs = Side.allCases.compactMap { side in
                    Self.cost(series, side, rows: step.rows).map { (side, $0) }
                }
                guard let unit = Self.costUnit(of: series.unit), !costs.isEmpty else { continue }
                let title = "\(series.workload) \(name)"
                let index = panels.firstIndex { $0.title == title } ?? panels.endIndex
                if index == panels.endIndex { panels.append(Panel(title: title, unit: unit)) }
                for (side, cost) in costs {
                    panels[index].lines[side, default: []].append((step.rows, cost))
                }
            }
        }
        self.panels = panels.filter { $0.lines.values.contains { $0.count > 1 } }
    }

    /// What a piece of work costs: of rates the time of one, of the time for all that of a row.
    private static func cost(_ series: Series, _ side: Side, rows: Int) -> Double? {
        guard let value = series.median(of: side), value > 0 else { return nil }
        return switch series.unit {
        case .milliseconds: value * 1_000 / Double(rows)
        case .bytesPerRow: value
        default: 1_000_000 / value
        }
    }

    private static func costUnit(of unit: Unit) -> String? {
        switch unit {
        case .milliseconds: "µs a row"
        case .bytesPerRow: "bytes a row"
        case .commitsPerSecond: "µs a commit"
        case .readsPerSecond: "µs a read"
        default: nil
        }
    }

    // MARK: Drawing

    /// The picture.
    var svg: String {
        let lineCount = (panels.count + Self.columnCount - 1) / Self.columnCount
        let height = Self.headHeight + Double(lineCount) * Self.panelHeight
        return SVG.picture(
            width: Self.width, height: height, legend + panels.indices.flatMap(parts))
    }

    private var legend: [String] {
        var parts = [
            SVG.text(
                "The cost of one, on 10 k to 5 M rows", x: 12, y: 20,
                extra: "font-size=\"14\" font-weight=\"bold\"")
        ]
        for (index, side) in [Side.skyros, .sqlite, .floor].enumerated() {
            let x = 480 + Double(index) * 130
            parts.append(
                SVG.rectangle(x: x, y: 11, width: 10, height: 10, fill: SVG.color(side)))
            parts.append(SVG.text(side.rawValue, x: x + 15, y: 20))
        }
        return parts
    }

    private func parts(of index: Int) -> [String] {
        let panel = panels[index]
        let pitch = Self.width / Double(Self.columnCount)
        let left = Double(index % Self.columnCount) * pitch + 46
        let top = Self.headHeight + Double(index / Self.columnCount) * Self.panelHeight + 36
        let (right, bottom) = (left + pitch - 66, top + Self.panelHeight - 70)
        let least = panel.costs.min() ?? 1
        let decades = max(log10((panel.costs.max() ?? 1) / least), 1)
        func x(_ rows: Double) -> Double {
            let share = log10(rows / Self.rows.least) / log10(Self.rows.most / Self.rows.least)
            return left + (right - left) * share
        }
        func y(_ cost: Double) -> Double {
            bottom - (bottom - top) * log10(cost / least) / decades
        }
        var parts = [
            SVG.text(panel.title, x: left - 34, y: top - 20, extra: "font-weight=\"bold\""),
            SVG.text(panel.unit, x: left - 34, y: top - 7),
        ]
        for rows in [10_000, 100_000, 1_000_000, 5_000_000] {
            let place = x(Double(rows))
            parts.append(SVG.line((place, top), (place, bottom), stroke: "#ddd"))
            parts.append(
                SVG.text(
                    TextTable.count(rows), x: place, y: bottom + 14,
                    extra: "text-anchor=\"middle\" font-size=\"10\""))
        }
        for cost in [least, least * pow(10, decades)] {
            parts.append(SVG.line((left, y(cost)), (right, y(cost)), stroke: "#ddd"))
            parts.append(
                SVG.text(
                    TextTable.number(cost), x: left - 4, y: y(cost) + 4,
                    extra: "text-anchor=\"end\" font-size=\"10\""))
        }
        for side in Side.allCases {
            guard let line = panel.lines[side] else { continue }
            let points = line.map { (x: x(Double($0.rows)), y: y($0.cost)) }
            parts.append(SVG.path(points, stroke: SVG.color(side)))
        }
        return parts
    }
}
