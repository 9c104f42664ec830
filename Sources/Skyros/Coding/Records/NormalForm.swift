import Foundation

/// What is known of a text's normal form C, by which Swift's `==` compares texts.
///
/// A text is in normal form if each of its scalars is and the marks on a letter are in order: the
/// quick check of Unicode Standard Annex #15, section 9. The tables are those of the standard
/// library, which also compares; Foundation makes the form of the remaining texts, and has tables
/// of an earlier Unicode.
enum NormalForm: Equatable {
    /// The text is in normal form.
    case normal
    /// The text's normal form.
    case other(String)
    /// Foundation and the standard library could disagree on the text.
    case doubtful

    /// O(n).
    init(of text: String) {
        switch Self.check(text) {
        case .no:
            let normal = text.precomposedStringWithCanonicalMapping
            self =
                normal.utf8.elementsEqual(text.utf8)
                ? .normal : normal == text ? .other(normal) : .doubtful
        case .yes: self = .normal
        case .doubtful: self = .doubtful
        }
    }

    private enum Check {
        case yes, no, doubtful
    }

    /// Whether the text passes the quick check.
    private static func check(_ text: String) -> Check {
        var isNormal = true
        var isKnown = true
        var lastClass: UInt8 = 0
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x300 else {
                lastClass = 0
                continue
            }
            let properties = scalar.properties
            let version = properties.age?.major ?? 0
            if version > compositionVersion, properties.generalCategory != .otherSymbol {
                return .doubtful
            }
            let order = properties.canonicalCombiningClass.rawValue
            let isExcluded = properties.isFullCompositionExclusion
            let isMisplaced = order != 0 && order < lastClass
            if isExcluded || isMisplaced || mayCompose(scalar.value) { isNormal = false }
            if version > foundationVersion || isJamo(scalar.value) || (isExcluded && order != 0) {
                isKnown = false
            }
            lastClass = order
        }
        return isNormal ? .yes : isKnown ? .no : .doubtful
    }

    /// The version of Unicode whose compositions `mayCompose` knows.
    private static let compositionVersion = 16

    /// A version whose scalars Foundation normalises correctly.
    private static let foundationVersion = 13

    /// Whether a scalar is one of the jamo, which Foundation does not always compose.
    private static func isJamo(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: true
        default: false
        }
    }

    /// Whether a scalar composes with some other before it: NFC_Quick_Check=Maybe.
    private static func mayCompose(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x300...0x304, 0x306...0x30C, 0x30F, 0x311, 0x313...0x314, 0x31B, 0x323...0x328,
            0x32D...0x32E, 0x330...0x331, 0x338, 0x342, 0x345, 0x653...0x655, 0x93C, 0x9BE, 0x9D7,
            0xB3E, 0xB56...0xB57, 0xBBE, 0xBD7, 0xC56, 0xCC2, 0xCD5...0xCD6, 0xD3E, 0xD57, 0xDCA,
            0xDCF, 0xDDF, 0x102E, 0x1161...0x1175, 0x11A8...0x11C2, 0x1B35, 0x3099...0x309A:
            true
        case 0x110BA, 0x11127, 0x1133E, 0x11357, 0x113B8, 0x113BB, 0x113C2, 0x113C9, 0x114B0,
            0x114BA, 0x114BD, 0x115AF, 0x11930, 0x1611E...0x16120, 0x16129, 0x16D67:
            true
        default: false
        }
    }
}
