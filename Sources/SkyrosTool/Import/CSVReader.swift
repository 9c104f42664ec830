import Skyros

/// Reads CSV as in RFC 4180: cells in quotes may hold separators, line ends and doubled quotes.
///
/// Lines end with LF, CRLF or CR; the last one may have no end. Empty lines are passed over.
struct CSVReader {
    /// A cell, and whether it was in quotes: an empty one is a text then.
    struct Cell {
        let text: String
        let isQuoted: Bool
    }

    private let bytes: [UInt8]
    private let separator: UInt8
    private var offset = 0
    /// The number of the line at `offset`, from 1 on.
    private var line = 1

    private static let quote = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    init(_ bytes: [UInt8], separator: UInt8) {
        self.bytes = bytes
        self.separator = separator
        // The mark that some programs put before UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// The cells of the next line that is not empty, and its number; nil at the end.
    ///
    /// - Throws: `StoreError` with `.invalidInput`, naming the line.
    mutating func next() throws -> (cells: [Cell], line: Int)? {
        while offset < bytes.count {
            let start = line
            if skipLineEnd() { continue }
            var cells: [Cell] = []
            repeat { cells.append(try cell()) } while take(separator)
            guard offset == bytes.count || skipLineEnd() else {
                throw StoreError.input(
                    "line \(line)",
                    "a cell continues after its closing quote; double the quotes in a cell")
            }
            return (cells, start)
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipLineEnd() -> Bool {
        let isEnd = take(Self.carriageReturn)
        guard take(Self.newline) || isEnd else { return false }
        line += 1
        return true
    }

    private mutating func cell() throws -> Cell {
        if take(Self.quote) { return Cell(text: try quoted(), isQuoted: true) }
        let start = offset
        while offset < bytes.count, !isEnd(bytes[offset]) {
            if bytes[offset] == Self.quote {
                throw StoreError.input(
                    "line \(line)",
                    "a quote in a cell that does not begin with one; put the cell in quotes, and "
                        + "double those in it")
            }
            offset += 1
        }
        return Cell(text: try text(bytes[start..<offset], line), isQuoted: false)
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        byte == separator || byte == Self.newline || byte == Self.carriageReturn
    }

    /// The content of a cell after its opening quote, through the closing one.
    private mutating func quoted() throws -> String {
        let first = line
        var content: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if byte == Self.quote {
                if !take(Self.quote) { return try text(content[...], first) }
            } else if byte == Self.newline
                || byte == Self.carriageReturn && bytes.dropFirst(offset).first != Self.newline
            {
                line += 1
            }
            content.append(byte)
        }
        throw StoreError.input("line \(first)", "a cell in quotes does not end")
    }

    private func text(_ bytes: ArraySlice<UInt8>, _ line: Int) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StoreError.input("line \(line)", "a cell is not UTF-8; convert the file")
        }
        return text
    }
}
