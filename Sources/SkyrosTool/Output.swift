import Foundation
import Skyros

/// The standard output: buffered lines for people, and JSON for programs.
///
/// All methods throw if the output cannot be written: to a full disk, a closed pipe, a descriptor
/// that is not open. The tool then ends with exit code 1.
struct Output {
    private let sink = TextSink(STDOUT_FILENO, "the standard output")

    /// Writes a line with its control characters escaped, so that stored text cannot break it.
    func line(_ text: String) throws {
        try sink.line(text.showingControls)
    }

    /// Writes trusted text without escaping.
    func lines(_ text: String) throws {
        try sink.line(text)
    }

    /// Writes a JSON object on one line.
    func json(_ object: NamedValues<FieldValue?>) throws {
        try sink.line(FieldValue.map(object.compactMapValues { $0 }).jsonText())
    }

    /// Writes aligned columns; the first row is the heading.
    func table(_ rows: [[String]]) throws {
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
            try line(cells.joined(separator: "  "))
        }
    }

    /// Calls `body` with the sink, for lines that are written as they are.
    func withSink(_ body: (TextSink) throws -> Void) throws {
        try body(sink)
    }

    /// Writes what is in the buffer: at the end, and before waiting for something.
    func flush() throws {
        try sink.flush()
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

/// The standard error: messages and the progress bar.
enum ErrorOutput {
    /// Writes an error with its control characters escaped, and trusted help text.
    static func error(_ text: String, help: String = "") {
        write("skyros: \(text.showingControls)\n\(help)")
    }

    /// Writes trusted text. An error is ignored: there is no other place to report it.
    static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}
