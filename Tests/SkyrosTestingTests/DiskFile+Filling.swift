import SkyrosDisk

extension DiskFile {
    /// Fills sectors with one letter, in one write.
    func fill(_ letter: Character, sectors: Range<Int>) throws {
        try fill(letter, bytes: sectors.lowerBound * 512..<sectors.upperBound * 512)
    }

    /// Fills a range of bytes with one letter, in one write.
    func fill(_ letter: Character, bytes range: Range<Int>) throws {
        let bytes = [UInt8](repeating: letter.asciiValue ?? 0, count: range.count)
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(DiskError) in try write(buffer, at: range.lowerBound) }
        }
        try result.get()
    }
}
