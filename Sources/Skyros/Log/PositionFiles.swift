import SkyrosDisk
import SkyrosLog

/// The positions of subscriptions as files of the store, `subscriptions/NAME.position`. A capital
/// letter of the name is written as `+` and the small one: some file systems do not tell the two
/// apart.
///
///     Skyros subscription 1
///     event 4711 0f3a29c0d51be877
///     keeps history
///     sum 1f6c2a8de2f1c07b
///
/// A file is made under another name, synced and renamed, so that it has either the old position or
/// the new one at any time. The sum is the XXH64 under seed 0 of what comes before its line.
struct PositionFiles: Sendable {
    private let disk: any Disk

    init(on disk: any Disk) {
        self.disk = disk
    }

    private static let suffix = ".position"
    private static let unfinishedSuffix = ".tmp"
    /// A larger file is not one of ours.
    private static let bytesMax = 1_000
    private static let nameLengthMax = 64

    /// Throws `StoreError` with `.invalidInput` if no file can have the name.
    static func check(_ name: String) throws(StoreError) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, 1...nameLengthMax ~= name.utf8.count else {
            throw StoreError(
                .invalidInput,
                "\"\(name)\" cannot name a subscription: use 1 to \(nameLengthMax) letters of "
                    + "ASCII, digits, - and _")
        }
    }

    /// The file of a subscription.
    private static func path(_ name: String, _ suffix: String = suffix) -> DiskPath {
        let stem = name.map { $0.isUppercase ? "+\($0.lowercased())" : "\($0)" }.joined()
        return DiskPath(.subscriptions, stem + suffix)
    }

    /// The subscription whose file has this name; nil if it is that of no position.
    private static func subscription(ofFile name: String, _ suffix: String = suffix) -> String? {
        guard name.hasSuffix(suffix) else { return nil }
        var subscription = ""
        var isCapital = false
        for character in name.dropLast(suffix.count) {
            if character == "+" { isCapital = true; continue }
            subscription += isCapital ? character.uppercased() : "\(character)"
            isCapital = false
        }
        let isValid = (try? check(subscription)) != nil
        return isValid && path(subscription, suffix).name == name ? subscription : nil
    }

    /// Whether a name in `subscriptions/` is one that this type gives.
    static func isOurs(_ name: String) -> Bool {
        subscription(ofFile: name) != nil || subscription(ofFile: name, unfinishedSuffix) != nil
    }
}

extension PositionFiles: SubscriptionPositions {
    func position(of name: String) throws -> SubscriptionPosition? {
        try Self.check(name)
        let path = Self.path(name)
        return try StoreError.wrap {
            guard try disk.status(of: path) != nil else { return nil }
            let bytes = try disk.bytes(of: path, byteCountMax: Self.bytesMax)
            guard let position = SubscriptionPosition(text: String(decoding: bytes, as: UTF8.self))
            else {
                throw StoreError(
                    .positionMissing,
                    "the position of the subscription \"\(name)\" is damaged; decide with which "
                        + "event it continues: store.setPosition(ofSubscription: \"\(name)\", to:)",
                    at: StoreError.Place(file: path.description))
            }
            return position
        }
    }

    func save(_ position: SubscriptionPosition, of name: String) throws {
        try Self.check(name)
        try StoreError.wrap {
            if try !disk.list(.root).contains(Directory.subscriptions.rawValue) {
                try disk.makeDirectoryDurably(.subscriptions)
            }
            let unfinished = Self.path(name, Self.unfinishedSuffix)
            try disk.createFile(unfinished, Array(position.text.utf8)).close()
            try disk.rename(unfinished, to: Self.path(name))
            try disk.syncDirectory(.subscriptions)
        }
    }

    func remove(_ name: String) throws {
        try Self.check(name)
        try StoreError.wrap {
            guard try disk.list(.root).contains(Directory.subscriptions.rawValue) else { return }
            try disk.remove(Self.path(name))
            try disk.syncDirectory(.subscriptions)
        }
    }

    func all() throws -> [String: SubscriptionPosition] {
        var positions: [String: SubscriptionPosition] = [:]
        for name in try names() { positions[name] = try position(of: name) }
        return positions
    }

    /// The names of the subscriptions that have a position, readable or not.
    func names() throws -> [String] {
        try StoreError.wrap(try disk.list(.subscriptions))
            .compactMap { Self.subscription(ofFile: $0) }
    }
}

extension PositionFiles {
    /// All positions that can be read.
    func readable() throws -> [String: SubscriptionPosition] {
        var positions: [String: SubscriptionPosition] = [:]
        for name in try names() {
            do {
                positions[name] = try position(of: name)
            } catch let error as StoreError where error.code == .positionMissing {}
        }
        return positions
    }

    /// Takes over the positions of a store of which this one is a copy. One that is damaged there
    /// stays what it was here.
    ///
    /// - Parameters:
    ///   - positions: those that can be read, taken before the events were copied.
    ///   - names: those of all subscriptions.
    ///   - last: the last event of the copy, at which later positions are put: what they have
    ///     handled was handled.
    ///   - chainHash: the chain hash through it.
    func update(
        to positions: [String: SubscriptionPosition], of names: [String],
        inLogThrough last: SequenceNumber, _ chainHash: ChainHash
    ) throws {
        for name in try self.names() where !names.contains(name) { try remove(name) }
        let kept = try readable()
        for (name, found) in positions {
            let isLater = found.sequence > last
            let wanted =
                isLater
                ? SubscriptionPosition(
                    sequence: last, chainHash: chainHash.description,
                    keepsHistory: found.keepsHistory)
                : found
            if kept[name] != wanted { try save(wanted, of: name) }
        }
    }

    /// Removes all positions, and the directory if it holds nothing else.
    func removeAll() throws {
        try StoreError.wrap {
            guard try disk.list(.root).contains(Directory.subscriptions.rawValue) else { return }
            for file in try disk.list(.subscriptions) where Self.isOurs(file) {
                try disk.remove(DiskPath(.subscriptions, file))
            }
            try disk.syncDirectory(.subscriptions)
            if try disk.list(.subscriptions).isEmpty { try disk.removeDirectory(.subscriptions) }
        }
    }
}

extension Collection where Element == SubscriptionPosition {
    /// The first event that a subscription has not handled for which the store keeps it; nil if
    /// there is no such subscription.
    var firstNeeded: SequenceNumber? {
        filter(\.keepsHistory).map(\.sequence.next).min()
    }
}

extension SubscriptionPosition {
    private static let title = "Skyros subscription 1"
    private static let (keeping, notKeeping) = ("keeps history", "keeps no history")

    /// What a file holds.
    fileprivate var text: String {
        let content = """
            \(Self.title)
            event \(sequence) \(chainHash)
            \(keepsHistory ? Self.keeping : Self.notKeeping)

            """
        let sum = Array(content.utf8).withUnsafeBytes { XXH64.hash($0, seed: 0) }
        return content + "sum \(sum.digits(16, radix: 16))\n"
    }

    /// Nil if it is not the text of a position.
    fileprivate init?(text: String) {
        let lines = text.split(separator: "\n")
        guard lines.count == 4 else { return nil }
        let words = lines[1].split(separator: " ")
        guard words.count == 3, let number = UInt64(words[1]) else { return nil }
        self.init(
            sequence: SequenceNumber(rawValue: number), chainHash: String(words[2]),
            keepsHistory: lines[2] == Self.keeping)
        guard self.text == text else { return nil }
    }
}
