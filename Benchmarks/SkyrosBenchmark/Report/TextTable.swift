import Foundation

/// The figures as a table for people.
enum TextTable {
    private static let peers = Side.allCases.filter { $0 != .skyros }

    /// The table's head.
    static var head: [String] {
        ["", "", "unit", "skyros"] + peers.flatMap { [$0.rawValue, "×"] }
    }

    /// One row a series.
    static func row(_ series: Series) -> [String] {
        let comparisons = Comparison.all(of: series)
        let skyros = series.median(of: .skyros).map(number) ?? "–"
        return [series.workload, series.variant, series.unit.rawValue, skyros]
            + peers.flatMap { peer -> [String] in
                let value = series.median(of: peer).map(number) ?? "–"
                let ratio = comparisons.first { $0.peer == peer.rawValue }?.ratio
                return [value, ratio.map(Self.ratio) ?? ""]
            }
    }

    /// Rows with aligned columns, texts to the left and numbers to the right.
    static func text(_ series: [Series]) -> String {
        let rows = [head] + series.map(row)
        let widths = head.indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column < 3 ? row[column] + padding : padding + row[column]
            }
            return cells.joined(separator: "  ")
        }
        .joined(separator: "\n")
    }

    /// The same in Markdown.
    static func markdown(_ series: [Series]) -> String {
        let rule = head.indices.map { $0 < 3 ? "---" : "--:" }
        return ([head, rule] + series.map(row))
            .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    /// Three digits that mean something.
    static func number(_ value: Double) -> String {
        switch abs(value) {
        case 10_000_000...: String(format: "%.1f M", value / 1e6)
        case 1_000_000...: String(format: "%.2f M", value / 1e6)
        case 10_000...: String(format: "%.0f k", value / 1e3)
        case 1_000...: String(format: "%.1f k", value / 1e3)
        case 100...: String(format: "%.0f", value)
        case 10...: String(format: "%.1f", value)
        default: String(format: "%.2f", value)
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
