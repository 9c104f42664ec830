/// Checks that an item is in the one form in which its value is written: shortest numbers, sorted
/// keys, valid UTF-8.
struct CanonicalForm: ~Copyable {
    private var reader: CBORReader
    /// Writes floats again, to compare their bytes.
    private var writer = CBORWriter(capacity: 16)

    private init(_ reader: CBORReader) {
        self.reader = reader
    }

    /// Throws unless `bytes` are one whole canonical item, around which there are `depth` levels.
    /// O(n).
    static func check(_ bytes: UnsafeRawBufferPointer, depth: Int = 0) throws(CBORError) {
        var form = CanonicalForm(CBORReader(bytes))
        try form.checkValue(depth: depth)
        try form.reader.finish()
    }

    private mutating func checkValue(depth: Int) throws(CBORError) {
        let start = reader.offset
        let type = try reader.peekType()
        if type == .array || type == .map || type == .tag, depth >= CBORFormat.nestingMax {
            throw CBORError(.tooDeep, at: start)
        }
        switch type {
        case .text: try checkText()
        case .simple: try checkSimple()
        case .map: try checkMap(depth: depth)
        case .unsigned, .negative: _ = try shortestHead()
        case .bytes:
            _ = try shortestHead()
            reader.offset = start
            _ = try reader.readBytes()
        case .array:
            for _ in 0..<(try count(of: shortestHead(), least: 1, from: start)) {
                try checkValue(depth: depth + 1)
            }
        case .tag: try checkTag(depth: depth)
        }
    }

    /// Reads a head, whose argument must be in the fewest bytes.
    private mutating func shortestHead() throws(CBORError) -> CBORReader.Head {
        let start = reader.offset
        let head = try reader.readHead()
        let least: UInt64 =
            switch head.detail {
            case 24: 24
            case 25: 1 << 8
            case 26: 1 << 16
            case 27: 1 << 32
            default: 0
            }
        guard head.argument >= least else { throw CBORError(.notShortest, at: start) }
        return head
    }

    /// The number of items after a head; each has `least` bytes or more.
    private func count(
        of head: CBORReader.Head, least: UInt64, from start: Int
    ) throws(CBORError) -> Int {
        guard head.argument <= UInt64(reader.remaining) / least else {
            throw CBORError(.truncated, at: start)
        }
        return Int(head.argument)
    }

    private mutating func checkText() throws(CBORError) {
        let start = reader.offset
        _ = try shortestHead()
        reader.offset = start
        _ = try reader.readText()
    }

    private mutating func checkMap(depth: Int) throws(CBORError) {
        let start = reader.offset
        var previous = 0..<0
        for _ in 0..<(try count(of: shortestHead(), least: 2, from: start)) {
            let key = reader.offset
            guard try reader.peekType() == .text else { throw CBORError(.keyIsNotText, at: key) }
            try checkText()
            let own = key..<reader.offset
            let order = UnsafeRawBufferPointer(rebasing: reader.bytes[previous])
                .compare(UnsafeRawBufferPointer(rebasing: reader.bytes[own]))
            if order == 0 { throw CBORError(.duplicateKey, at: key) }
            if order > 0 { throw CBORError(.unsortedKeys, at: key) }
            previous = own
            try checkValue(depth: depth + 1)
        }
    }

    private mutating func checkTag(depth: Int) throws(CBORError) {
        let start = reader.offset
        let tag = try shortestHead().argument
        let content = reader.offset
        try checkValue(depth: depth + 1)
        guard tag == CBORFormat.Tag.positiveBignum || tag == CBORFormat.Tag.negativeBignum else {
            return
        }
        // An integer that fits 64 bits is no bignum.
        var again = CBORReader(reader.bytes, at: content)
        let magnitude = try again.readBytes()
        guard magnitude.count > 8, magnitude.first != 0 else {
            throw CBORError(.notShortest, at: start)
        }
    }

    private mutating func checkSimple() throws(CBORError) {
        let start = reader.offset
        guard try reader.peekByte() >= CBORFormat.Byte.half else {
            try reader.skipValue()
            return
        }
        let value = try reader.readDouble()
        writer.removeAll()
        writer.append(value)
        let own = UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset])
        let isSame = writer.withUnsafeBytes { $0.elementsEqual(own) }
        guard isSame else { throw CBORError(.notShortest, at: start) }
    }
}
