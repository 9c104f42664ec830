import SkyrosSQLite

extension RowBinder {
    /// Binds one value to a column of `kind`; false, with nothing bound, when the column
    /// cannot give it back exactly.
    ///
    /// - Throws: `CBORError` when the value is a scalar that is not in canonical form;
    ///   `SQLiteError`.
    @inline(__always)
    mutating func bind(
        _ value: UnsafeRawBufferPointer, as kind: ColumnKind, to statement: Statement,
        at parameter: Int32
    ) throws -> Bool {
        switch kind {
        case .integer: try bindInteger(value, to: statement, at: parameter)
        case .real: try bindReal(value, to: statement, at: parameter)
        case .text: try bindText(value, to: statement, at: parameter)
        case .boolean: try bindBoolean(value, to: statement, at: parameter)
        case .bytes: try bindBytes(value, to: statement, at: parameter)
        case .uuid: try bindUUID(value, to: statement, at: parameter)
        case .date: try bindTagged(value, CBORFormat.Tag.date, to: statement, at: parameter)
        case .url: try bindTagged(value, CBORFormat.Tag.url, to: statement, at: parameter)
        case .decimal: try bindDecimal(value, to: statement, at: parameter)
        case .json: try bindJSON(value, to: statement, at: parameter)
        }
    }

    private func bindInteger(
        _ value: UnsafeRawBufferPointer, to statement: Statement, at parameter: Int32
    ) throws -> Bool {
        var reader = CBORReader(value)
        let head = try reader.readHead()
        guard head.type == .unsigned || head.type == .negative else { return false }
        try head.requireShortest(value)
        guard let magnitude = Int64(exactly: head.argument) else { return false }
        let integer = head.type == .unsigned ? magnitude : ~magnitude
        try statement.bind(integer: integer, at: parameter)
        return true
    }

    private func bindReal(
        _ value: UnsafeRawBufferPointer, to statement: Statement, at parameter: Int32
    ) throws -> Bool {
        guard let number = try Self.canonicalFloat(value) else { return false }
        let isNegativeZero = number == 0 && number.sign == .minus
        guard !number.isNaN, !isNegativeZero else { return false }
        try statement.bind(real: number, at: parameter)
        return true
    }

    private func bindText(
        _ value: UnsafeRawBufferPointer, to statement: Statement, at parameter: Int32
    ) throws -> Bool {
        guard let content = try Self.content(of: value, .text) else { return false }
        guard SQLiteText.isPlain(content) else {
            guard SQLiteText.isUTF8(content) else { throw CBORError(.invalidText, at: 0) }
            return false
        }
        try statement.bind(text: content, at: parameter, .borrowed)
        return true
    }

    private func bindBoolean(
        _ value: UnsafeRawBufferPointer, to statement: Statement, at parameter: Int32
    ) throws(SQLiteError) -> Bool {
        switch value.first {
        case CBORFormat.Byte.true: try statement.bind(integer: 1, at: parameter)
        case CBORFormat.Byte.false: try statement.bind(integer: 0, at: parameter)
        default: return false
        }
        return true
    }

    private func bindBytes(
        _ value: UnsafeRawBufferPointer, to statement: Statement, at parameter: Int32
    ) throws -> Bool {
        guard let content = try Self.content(of: value, .bytes) else { return false }
        try statement.bind(blob: content, at: parameter, .borrowed)
        return true
    }

    private func bindUUID(
        _ value: UnsafeRawBufferPointer, to statement: Statement, at parameter: Int32
    ) throws(SQLiteError) -> Bool {
        guard value.count == 19, value[0] == 0xD8, value[1] == CBORFormat.Tag.uuid,
            value[2] == 0x50
        else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: value[3...])
        try withUnsafeTemporaryAllocation(byteCount: UUIDText.count, alignment: 8) {
            (text) throws(SQLiteError) in
            UUIDText.write(bytes, to: text)
            try statement.bind(text: UnsafeRawBufferPointer(text), at: parameter, .copied)
        }
        return true
    }

    /// A date or a URL: what is tagged is bound like a number or a text.
    private func bindTagged(
        _ value: UnsafeRawBufferPointer, _ tag: UInt64, to statement: Statement,
        at parameter: Int32
    ) throws -> Bool {
        var reader = CBORReader(value)
        guard try reader.peekType() == .tag else { return false }
        let head = try reader.readHead()
        guard head.argument == tag else { return false }
        guard reader.offset == CBORWriter.headSize(tag) else {
            throw CBORError(.doesNotFit, at: 0)
        }
        let content = UnsafeRawBufferPointer(rebasing: value[reader.offset...])
        return tag == CBORFormat.Tag.date
            ? try bindReal(content, to: statement, at: parameter)
            : try bindText(content, to: statement, at: parameter)
    }

    private mutating func bindDecimal(
        _ value: UnsafeRawBufferPointer, to statement: Statement, at parameter: Int32
    ) throws(SQLiteError) -> Bool {
        guard let digits = DecimalText.text(of: value) else { return false }
        text.removeAll()
        var utf8 = digits
        let isExact = utf8.withUTF8 {
            DecimalText.append(UnsafeRawBufferPointer($0), to: &text)
        }
        guard isExact, text.withUnsafeBytes({ value.compare($0) == 0 }) else { return false }
        try statement.bind(string: digits, at: parameter)
        return true
    }

    private mutating func bindJSON(
        _ value: UnsafeRawBufferPointer, to statement: Statement, at parameter: Int32
    ) throws -> Bool {
        let type = try CBORReader(value).peekType()
        guard type == .array || type == .map else { return false }
        text.removeAll()
        guard try JSONColumn.append(value, to: &text) else { return false }
        // Reading it back is the proof: it also notices what is not in canonical form.
        let isExact = text.withUnsafeBytes { json in
            var copy = CBORWriter(capacity: value.count + 16)
            guard JSONColumn.append(json: json, to: &copy) else { return false }
            return copy.withUnsafeBytes { value.compare($0) == 0 }
        }
        guard isExact else { return false }
        try text.withUnsafeBytes { (json) throws(SQLiteError) in
            try statement.bind(text: json, at: parameter, .copied)
        }
        return true
    }

    // MARK: Scalars in canonical form

    /// The number that `value` is, nil if it is no float.
    private static func canonicalFloat(
        _ value: UnsafeRawBufferPointer
    ) throws(CBORError) -> Double? {
        guard let first = value.first, first >= CBORFormat.Byte.half else { return nil }
        var reader = CBORReader(value)
        let number = try reader.readDouble()
        let isShortest =
            switch value.count {
            case 3: !number.isNaN || value[1] == 0x7E && value[2] == 0
            case 5: !number.isNaN && HalfFloat.bits(exactly: Float(number)) == nil
            default: !number.isNaN && Double(Float(number)).bitPattern != number.bitPattern
            }
        guard isShortest else { throw CBORError(.doesNotFit, at: 0) }
        return number
    }

    /// The content of `value` if it is a string of `type`, otherwise nil.
    private static func content(
        of value: UnsafeRawBufferPointer, _ type: CBORType
    ) throws(CBORError) -> UnsafeRawBufferPointer? {
        var reader = CBORReader(value)
        let head = try reader.readHead()
        guard head.type == type else { return nil }
        guard reader.offset == CBORWriter.headSize(head.argument) else {
            throw CBORError(.doesNotFit, at: 0)
        }
        return UnsafeRawBufferPointer(rebasing: value[reader.offset...])
    }
}

extension CBORReader.Head {
    /// Throws unless `value`, which consists of this head alone, is as short as can be.
    func requireShortest(_ value: UnsafeRawBufferPointer) throws(CBORError) {
        guard value.count == CBORWriter.headSize(argument) else {
            throw CBORError(.doesNotFit, at: 0)
        }
    }
}

extension CBORWriter {
    /// The number of bytes that a head with this argument takes.
    static func headSize(_ argument: UInt64) -> Int {
        switch argument {
        case 0..<24: 1
        case ...0xFF: 2
        case ...0xFFFF: 3
        case ...0xFFFF_FFFF: 5
        default: 9
        }
    }
}
