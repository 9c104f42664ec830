import Foundation
import Skyros

/// Writes to the standard output and the standard error.
enum Output {
    /// Writes a line with its control characters escaped, so that stored text cannot break it.
    static func line(_ text: String) {
        lines(text.showingControls)
    }

    /// Writes trusted text without escaping.
    static func lines(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Writes an error with its control characters escaped, and trusted help text.
    static func error(_ text: String, help: String = "") {
        let lines = "skyros: \(text.showingControls)\n\(help)"
        FileHandle.standardError.write(Data(lines.utf8))
    }

    /// Writes a JSON object on one line.
    static func json(_ object: [String: FieldValue?]) {
        lines(FieldValue.map(object.compactMapValues { $0 }).jsonText())
    }

    /// Writes aligned columns; the first row is the heading.
    static func table(_ rows: [[String]]) {
        let rows = rows.map { $0.map(\.showingControls) }
        guard let columnCount = rows.map(\.count).max() else { return }
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        for row in rows {
            let cells = row.enumerated().map { column, cell in
                let isLast = column == row.count - 1
                let padding = isLast ? 0 : widths[column] - cell.count
                return cell + String(repeating: " ", count: padding)
            }
            line(cells.joined(separator: "  "))
        }
    }

    /// Formats a number of bytes with a unit.
    static func bytes(_ count: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(count)
        var unit = 0
        while value >= 1_024, unit < units.count - 1 {
            value /= 1_024
            unit += 1
        }
        return unit == 0 ? "\(count) B" : String(format: "%.1f %@", value, units[unit])
    }
}
