import Foundation

extension EventScrubber {
    /// A text or value of a scrubbed field that an encoded event still holds; nil if there is none.
    ///
    /// Numbers and dates are not searched: they may be the same by chance. Nor are the bytes of
    /// numbers, dates and UUIDs taken for texts. What the event records of the shapes of entities
    /// is not searched either: that is from the program.
    ///
    /// - Parameter words: names in the log, in UTF-8, which may have such a text in them.
    /// - Throws: `CBORError` for bytes that are no event.
    func original(
        inEvent bytes: UnsafeRawBufferPointer, except words: [[UInt8]]
    ) throws -> String? {
        var reader = CBORReader(bytes)
        var event = try reader.readValue(depth: -EventCoding.levelsAround)
        if var members = event.map {
            members[EventCoding.Key.schema.description] = nil
            event = .map(members)
        }
        return original(in: event, except: words)
    }

    /// The same for a text beside a fixture.
    func original(inText text: String, except words: [[UInt8]]) -> String? {
        original(in: Array(text.utf8), except: words)
    }

    private func original(in bytes: [UInt8], except words: [[UInt8]]) -> String? {
        var start = 0
        while let (place, _) = pseudonyms.parts.firstMatch(in: bytes, from: start) {
            let isWord =
                pseudonyms.covers(place, in: bytes)
                || words.contains { Self.covers(place, with: $0, in: bytes) }
            if !isWord { return String(decoding: bytes[place], as: UTF8.self) }
            start = place.lowerBound + 1
        }
        return nil
    }

    /// Whether a place in bytes lies in an occurrence of a word.
    private static func covers(_ place: Range<Int>, with word: [UInt8], in bytes: [UInt8]) -> Bool {
        let first = max(0, place.upperBound - word.count)
        let last = min(place.lowerBound, bytes.count - word.count)
        return first <= last
            && (first...last).contains { bytes[$0..<$0 + word.count].elementsEqual(word) }
    }

    /// The same for a value and all values in it.
    func original(in value: FieldValue, except words: [[UInt8]]) -> String? {
        switch value {
        case .text(let text): return original(inText: text, except: words)
        case .bytes(let data): return original(in: Array(data), except: words)
        case .uuid(let id): return pseudonyms.isOriginal(value) ? id.uuidString : nil
        case .array(let values):
            for value in values {
                if let found = original(in: value, except: words) { return found }
            }
            return nil
        case .map(let members):
            for (name, member) in members {
                if let found = original(inText: name, except: words) { return found }
                if let found = original(in: member, except: words) { return found }
            }
            return nil
        case .tagged(_, let inner): return original(in: inner, except: words)
        case .null, .bool, .integer, .double, .date: return nil
        }
    }
}
