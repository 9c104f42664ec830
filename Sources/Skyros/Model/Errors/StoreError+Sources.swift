import SkyrosDisk
import SkyrosLog

extension StoreError {
    /// Evaluates `body` and turns an error of a lower layer into one for the user.
    static func wrap<R>(_ body: @autoclosure () throws -> R) throws(StoreError) -> R {
        try wrap { try body() }
    }

    /// Runs `body` and turns an error of a lower layer into one for the user.
    static func wrap<R>(_ body: () throws -> R) throws(StoreError) -> R {
        do {
            return try body()
        } catch {
            throw wrapping(error)
        }
    }

    init(_ error: LogError) {
        let sequences = error.sequences.map { range in
            SequenceNumber(rawValue: range.lowerBound)...SequenceNumber(rawValue: range.upperBound)
        }
        let place = Place(
            file: error.segment.map { "events/\($0)" }, offset: error.offset, sequences: sequences)
        let (code, remedy) = Self.meaning(of: error.code)
        self.init(
            code, remedy.isEmpty ? error.message : "\(error.message); \(remedy)", at: place,
            cause: error.cause?.description)
    }

    init(_ error: DiskError) {
        let place = Place(file: error.path)
        switch error.reason {
        case .locked(let holder):
            let why =
                "the store is open for writing already (\(holder)); "
                + "close it there, or open it for reading"
            self.init(.alreadyOpen, why, at: place)
        case .insecure:
            self.init(.insecurePath, error.description, at: place)
        case .system where error.isOutOfSpace:
            self.init(.diskFull, "\(error); free disk space and try again", at: place)
        case .system:
            self.init(.io, error.description, at: place)
        }
    }

    private static func meaning(of code: LogError.Code) -> (Code, String) {
        switch code {
        case .io: (.io, "")
        case .diskFull: (.diskFull, "free disk space and try again")
        case .durabilityLost: (.durabilityLost, "reads still work; open the store again to write")
        case .corrupt: (.logCorrupt, "nothing was changed; `skyros verify` lists all damage")
        case .segmentMissing: (.segmentMissing, "restore the file from a backup")
        case .chainBroken: (.chainBroken, "nothing was changed; `skyros verify` lists all damage")
        case .foreignStore: (.foreignStore, "put the store's own file in its place")
        case .unsupportedFormat: (.unsupportedFormat, "use a newer version")
        case .limitExceeded: (.limitExceeded, "split the write block, or raise eventBytesMax")
        case .conflict: (.conflict, "another writer appended; open the store again")
        case .closed: (.closed, "")
        }
    }
}
