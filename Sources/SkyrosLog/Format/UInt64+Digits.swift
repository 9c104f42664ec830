extension UInt64 {
    /// The last `count` digits of the number, with zeros in front where it has fewer.
    package func digits(_ count: Int, radix: UInt64 = 10) -> String {
        var text = [UInt8](repeating: 0, count: count)
        var rest = self
        for place in text.indices.reversed() {
            let digit = UInt8(rest % radix)
            text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest /= radix
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The number that `digits(count)` has written; nil if the text is anything else.
    package init?(digits text: Substring, count: Int) {
        guard text.utf8.count == count,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.init(text)
    }
}
