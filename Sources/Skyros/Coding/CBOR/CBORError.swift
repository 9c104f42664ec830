/// An error in CBOR, and its offset.
package struct CBORError: Error, Hashable, Sendable {
    package enum Problem: Hashable, Sendable {
        /// The bytes end inside an item, or an item claims more content than there are bytes.
        case truncated
        /// Bytes follow the end of the item.
        case trailingBytes
        /// A first byte outside of the stored subset: indefinite length, reserved, undefined.
        case unsupported(UInt8)
        /// The item has another type than requested.
        case unexpectedType(CBORType)
        /// A map key that is not text.
        case keyIsNotText
        /// A map that names the same key twice.
        case duplicateKey
        /// A map whose keys are not in canonical order where that order is required.
        case unsortedKeys
        /// A number in more bytes than it needs.
        case notShortest
        /// Text that is not valid UTF-8.
        case invalidText
        /// A number that the requested type cannot hold exactly.
        case doesNotFit
        /// A tag whose content does not fit the tag.
        case invalidTagContent(UInt64)
        /// A tag of this library in a value of the app.
        case reservedTag(UInt64)
        /// More levels of arrays, maps and tags than `CBORFormat.nestingMax`.
        case tooDeep
        /// More bytes than offsets can count (4 GiB).
        case tooLarge
    }

    package let problem: Problem
    /// The offset of the offending byte or item in the bytes that were being read.
    package let offset: Int

    package init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

extension CBORError: CustomStringConvertible {
    package var description: String { "\(sentence) at byte \(offset)" }

    private var sentence: String {
        switch problem {
        case .truncated: "CBOR ends inside an item"
        case .trailingBytes: "CBOR is followed by further bytes"
        case .unsupported(let byte): "CBOR item 0x\(String(byte, radix: 16)) is not supported"
        case .unexpectedType(let type): "CBOR item of another type (\(type)) than expected"
        case .keyIsNotText: "CBOR map key is not text"
        case .duplicateKey: "CBOR map has the same key twice"
        case .unsortedKeys: "CBOR map keys are not in canonical order"
        case .notShortest: "CBOR number is not in its shortest form"
        case .invalidText: "CBOR text is not valid UTF-8"
        case .doesNotFit: "CBOR number does not fit the requested type"
        case .invalidTagContent(let tag): "CBOR tag \(tag) has content that does not suit it"
        case .reservedTag(let tag): "CBOR tag \(tag) is reserved for Skyros"
        case .tooDeep: "CBOR is nested deeper than \(CBORFormat.nestingMax) levels"
        case .tooLarge: "CBOR is larger than 4 GiB"
        }
    }
}
