import Foundation
import Skyros

/// Writes to the terminal, or to whoever reads the output.
enum Output {
    /// A line for people; what is in it cannot end it.
    static func line(_ text: String) {
        lines(text.showingControls)
    }

    /// Lines of the tool's own.
    static func lines(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// What went wrong, in one line, and lines of the tool's own that help.
    static func error(_ text: String, help: String = "") {
        let lines = "skyros: \(text.showingControls)\n\(help)"
        FileHandle.standardError.write(Data(lines.utf8))
    }

    /// One JSON object on a line of its own.
    static func json(_ object: [String: FieldValue?]) {
        lines(FieldValue.map(object.compactMapValues { $0 }).jsonText())
    }

    /// Columns of text, aligned; the first row is the heading.
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

    /// A number of bytes for people.
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
