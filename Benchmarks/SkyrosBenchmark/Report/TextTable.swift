import Foundation

/// Rows of cells, for people.
struct TextTable {
    let head: [String]
    let rows: [[String]]
    /// How many columns are texts, aligned to the left; numbers are aligned to the right.
    let textColumns: Int

    /// Aligned columns.
    var text: String {
        let all = [head] + rows
        let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column < textColumns ? row[column] + padding : padding + row[column]
            }
            return cells.joined(separator: "  ")
        }
        .joined(separator: "\n")
    }

    var markdown: String {
        let rule = head.indices.map { $0 < textColumns ? "---" : "--:" }
        return ([head, rule] + rows)
            .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    // MARK: Tables

    /// The figures, and Skyros beside each peer that has any.
    static func figures(_ series: [Series]) -> TextTable {
        let peers = sides(of: series) { $0.median(of: $1) }.filter { $0 != .skyros }
        return TextTable(
            head: ["", "", "unit", "skyros"] + peers.flatMap { [$0.rawValue, "×"] },
            rows: series.map { series in
                [series.workload, series.variant, series.unit.rawValue]
                    + [series.median(of: .skyros).map(number) ?? "–"]
                    + peers.flatMap { peer in
                        [
                            series.median(of: peer).map(number) ?? "–",
                            series.ratio(to: peer).map(ratio) ?? "",
                        ]
                    }
            }, textColumns: 3)
    }

    /// Seconds on the clock and seconds of all processors.
    static func costs(_ series: [Series]) -> TextTable {
        let measured = series.filter { series in
            Side.allCases.contains { series.cost(of: $0) != nil }
        }
        let sides = sides(of: measured) { $0.cost(of: $1) }
        return TextTable(
            head: ["", ""] + sides.flatMap { [$0.rawValue, "CPU"] },
            rows: measured.map { series in
                [series.workload, series.variant]
                    + sides.flatMap { side in
                        series.cost(of: side).map { [number($0.wall), number($0.cpu)] }
                            ?? ["–", ""]
                    }
            }, textColumns: 2)
    }

    private static func sides<T>(
        of series: [Series], having value: (Series, Side) -> T?
    ) -> [Side] {
        Side.allCases.filter { side in series.contains { value($0, side) != nil } }
    }

    // MARK: Cells

    /// Three digits that mean something.
    static func number(_ value: Double) -> String {
        switch abs(value) {
        case 10_000_000...: String(format: "%.1f M", value / 1e6)
        case 1_000_000...: String(format: "%.2f M", value / 1e6)
        case 10_000...: String(format: "%.0f k", value / 1e3)
        case 1_000...: String(format: "%.1f k", value / 1e3)
        case 100...: String(format: "%.0f", value)
        case 10...: String(format: "%.1f", value)
        case 0.1...: String(format: "%.2f", value)
        default: String(format: "%.4f", value)
        }
    }

    /// A round number of things: 100 k, 1 M.
    static func count(_ value: Int) -> String {
        if value.isMultiple(of: 1_000_000) { return "\(value / 1_000_000) M" }
        return value.isMultiple(of: 1_000) ? "\(value / 1_000) k" : "\(value)"
    }

    static func ratio(_ value: Double) -> String {
        value >= 0.1 ? number(value) : String(format: "1/%@", number(1 / value))
    }
}
