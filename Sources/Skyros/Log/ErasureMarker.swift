import SkyrosDisk
import SkyrosLog

/// The file `erasing`: as long as it exists, its store counts as erased, and the next opening
/// removes what is left of it.
///
/// It names the store. A power cut may bring it back after a failed sync, when another store is
/// there already: that one is kept.
struct ErasureMarker: Equatable {
    /// The store that is erased; nil if none of its segments said so.
    let storeID: StoreID?
    /// Whether what was set aside in `quarantine/` is removed too.
    let includesQuarantine: Bool
    /// Whether an empty store comes in its place, also beside other files.
    let beginsAnew: Bool

    static let file = DiskPath(.root, "erasing")
    static let unfinished = DiskPath(.root, "erasing.tmp")
    /// A larger file is not one of ours.
    private static let bytesMax = 1_000

    private static let unknownStore = "unknown"

    /// What the file says, to a person and to the next opening.
    private var text: String {
        let purpose = beginsAnew ? ", to begin anew" : ""
        let more = includesQuarantine ? ", and what is in quarantine/" : ""
        return """
            The program of this Skyros store has erased it\(purpose), and was interrupted.
            The next opening removes what is left\(more).
            To keep what is left, or to restore a backup here, remove this file first.
            Store: \(storeID?.description ?? Self.unknownStore)

            """
    }

    init(storeID: StoreID?, includesQuarantine: Bool, beginsAnew: Bool) {
        self.storeID = storeID
        self.includesQuarantine = includesQuarantine
        self.beginsAnew = beginsAnew
    }

    /// Reads the text; nil if it is not one of this version.
    private init?(_ text: String) {
        let id = text.split(separator: "\n").last?.split(separator: " ").last.map(String.init) ?? ""
        let bytes = HexText.bytes(id, count: StoreID.byteCount)
        for number in 0..<4 {
            let marker = ErasureMarker(
                storeID: bytes.flatMap { StoreID($0) }, includesQuarantine: number & 1 != 0,
                beginsAnew: number & 2 != 0)
            if marker.text == text {
                self = marker
                return
            }
        }
        return nil
    }

    /// Whether a store's files are being erased.
    static func exists(on disk: any Disk) throws(StoreError) -> Bool {
        try StoreError.wrap(try disk.status(of: file)) != nil
    }

    /// Throws `.erased` if an erasure was interrupted.
    static func checkIsMissing(on disk: any Disk) throws(StoreError) {
        guard try exists(on: disk) else { return }
        throw StoreError(
            .erased,
            "the store is being erased, as its file \(file.name) says: open it for writing, or "
                + "destroy it, to finish that", at: StoreError.Place(file: file.name))
    }

    /// The marker of the erasure that was interrupted; nil if there is none.
    ///
    /// - Throws: `StoreError` with `.unsupportedFormat` if it is not one of this version.
    static func read(from disk: any Disk) throws(StoreError) -> ErasureMarker? {
        guard try exists(on: disk) else { return nil }
        let bytes = try StoreError.wrap {
            let file = try disk.open(file, .read)
            return try [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            }
        }
        if let marker = ErasureMarker(String(decoding: bytes, as: UTF8.self)) { return marker }
        throw StoreError(
            .unsupportedFormat,
            "the file \(file.name) says that the store is being erased, but not in the words of "
                + "this version; nothing was changed. Use a newer version, or remove that file to "
                + "keep what is left of the store", at: StoreError.Place(file: file.name))
    }

    /// Writes the content under another name, durably. It means nothing yet.
    func prepare(on disk: any Disk) throws(DiskError) {
        try disk.createFile(Self.unfinished, Array(text.utf8)).close()
    }

    /// Gives the content its name, durably: it appears whole, or not at all.
    static func commit(on disk: any Disk) throws(DiskError) {
        try disk.rename(unfinished, to: file)
        try disk.syncDirectory(.root)
    }

    /// Removes the file, durably.
    static func remove(from disk: any Disk) throws(DiskError) {
        try disk.remove(unfinished)
        try disk.remove(file)
        try disk.syncDirectory(.root)
    }
}
