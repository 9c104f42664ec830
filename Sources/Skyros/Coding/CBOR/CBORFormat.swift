/// The major type of a CBOR item: the top three bits of its first byte (RFC 8949, section 3.1).
package enum CBORType: UInt8, Sendable {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case tag = 6
    case simple = 7
}

/// Constants of the stored form that reader and writer share.
package enum CBORFormat {
    /// How deep arrays, maps and tags may nest, in writing and in reading.
    ///
    /// Every level costs stack in a recursive reader; 128 levels fit into the 512 KiB of a
    /// secondary thread, in an unoptimized build too.
    package static let nestingMax = 128

    /// Tags with a meaning in stored values. Others are kept as they are.
    package enum Tag {
        /// A non-negative integer beyond 64 bits, as big-endian bytes (RFC 8949, 3.4.3).
        package static let positiveBignum: UInt64 = 2
        /// The integer -1 - n, where n is given by big-endian bytes (RFC 8949, 3.4.3).
        package static let negativeBignum: UInt64 = 3
        /// `[exponent, mantissa]`: mantissa times ten to the exponent (RFC 8949, 3.4.4).
        package static let decimal: UInt64 = 4
        /// A URI as text (RFC 8949, 3.4.5.3).
        package static let url: UInt64 = 32
        /// The 16 bytes of a UUID (the IANA registry of CBOR tags).
        package static let uuid: UInt64 = 37
        /// A float: seconds since 2001-01-01T00:00:00Z, bit for bit what `Date` holds.
        ///
        /// The number is this library's, from the first-come range of the registry. Tag 1, seconds
        /// since 1970, would change the bits of about half of all dates.
        package static let date: UInt64 = 0xDA7E
        /// The tags of this library that have no meaning yet. What is stored under one is kept as
        /// it is, and none is ever made from a value of the app.
        package static let reserved: ClosedRange<UInt64> = date + 1...date + 15
    }

    /// The first bytes of simple values and floats.
    enum Byte {
        static let `false`: UInt8 = 0xF4
        static let `true`: UInt8 = 0xF5
        static let null: UInt8 = 0xF6
        static let half: UInt8 = 0xF9
        static let single: UInt8 = 0xFA
        static let double: UInt8 = 0xFB
        static let emptyMap: UInt8 = 0xA0
    }
}
