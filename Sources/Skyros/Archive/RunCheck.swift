import SkyrosDisk
import SkyrosLog

/// Compares a run of the history with the events that it covers.
///
/// Both sides are added up: the sum of the hashes of all versions does not depend on their order.
struct RunCheck {
    private let run: HistoryRun
    /// The versions that the run does not have whole, by their hashes without images.
    private var images: [UInt64: RecordVersion.Image] = [:]
    private var sum: UInt64 = 0
    private var count = 0

    /// Reads the run.
    ///
    /// - Throws: `LogError` with `.corrupt` if it is damaged.
    init(_ run: HistoryRun) throws {
        self.run = run
        var last: (key: HistoryKey, version: RecordVersion, isRepeated: Bool)?
        try run.forEachItem { item in
            let key = item.historyKey
            var reader = CBORReader(item.versions)
            while !reader.isAtEnd {
                let version = try RecordVersion(&reader)
                let isRepeated = last.map {
                    $0.key == key && $0.version.sequence == version.sequence
                }
                if let last {
                    add(last.version, of: last.key, last.isRepeated || isRepeated ?? false)
                }
                last = (key, version, isRepeated ?? false)
            }
        }
        if let last { add(last.version, of: last.key, last.isRepeated) }
    }

    /// Adds a version of the run. Of an event that changes a record several times, images are not
    /// compared.
    private mutating func add(_ version: RecordVersion, of key: HistoryKey, _ isRepeated: Bool) {
        let plain = version.withoutImage
        if version.kind != .cleared, !isRepeated {
            switch version.image {
            case .record: break
            case .difference, .absent: images[Self.hash(plain, of: key)] = version.image
            }
        }
        sum &+= Self.hash(isRepeated ? plain : version, of: key)
        count += 1
    }

    var sequences: ClosedRange<UInt64> { run.header.sequences }

    /// Adds an event, after which the state is `state`.
    mutating func note(_ event: Event, leading state: Snapshot) {
        let list = RecordVersion.list(of: event)
        var seen = Set<HistoryKey>()
        var repeated = Set<HistoryKey>()
        for (key, _) in list where list.count > 1 && !seen.insert(key).inserted {
            repeated.insert(key)
        }
        for (key, version) in list {
            var version = version
            if repeated.contains(key) {
                version.image = .absent
            } else if let image = images[Self.hash(version.withoutImage, of: key)] {
                if case .absent = image { version.image = .absent }
            } else if version.kind == .updated {
                version.image = record(key, in: state).map { .record($0) } ?? .absent
            }
            sum &-= Self.hash(version, of: key)
            count -= 1
        }
    }

    private func record(_ key: HistoryKey, in state: Snapshot) -> [UInt8]? {
        guard let id = key.id else { return nil }
        return state.table(String(decoding: key.entity, as: UTF8.self))?.row(id)?.bytes
    }

    /// What is wrong with the run, once all of its events were added; nil if nothing is.
    var problem: String? {
        guard sum != 0 || count != 0 else { return nil }
        return
            "\(run.name.path) does not have the changes that the log has; remove it, and the store "
            + "makes it again"
    }

    private static func hash(_ version: RecordVersion, of key: HistoryKey) -> UInt64 {
        var writer = CBORWriter()
        key.append(to: &writer)
        version.append(to: &writer)
        return writer.withUnsafeBytes { XXH64.hash($0) }
    }
}

extension RecordVersion {
    fileprivate var withoutImage: RecordVersion {
        var version = self
        version.image = .absent
        return version
    }
}

/// Compares all runs of a store with its log, while that is folded.
struct RunChecks {
    private var checks: [RunCheck] = []
    private(set) var problems: [String] = []

    /// Opens the runs.
    init(of archive: Archive) {
        let names = (try? RunName.list(on: archive.disk)) ?? []
        for name in names where name.kind == .run {
            do {
                let run = try HistoryRun(name, on: archive.disk, cache: FrameCache())
                guard run.header.storeID == archive.log.storeID,
                    run.last <= archive.log.head.sequence
                else {
                    problems.append("\(name.path) is of another history than the log")
                    continue
                }
                checks.append(try RunCheck(run))
            } catch let error as LogError where error.cause?.isNotFound ?? false {
                // The writer has merged it.
            } catch {
                problems.append(
                    "\(name.path) cannot be used: \(StoreError.wrapping(error).message). The log has "
                        + "all of it; remove the file, and the store makes it again")
            }
        }
    }

    /// Adds an event, after which the state is `state`.
    mutating func note(_ event: Event, leading state: Snapshot) {
        let sequence = event.sequence.rawValue
        for index in checks.indices where checks[index].sequences.contains(sequence) {
            checks[index].note(event, leading: state)
            guard checks[index].sequences.upperBound == sequence else { continue }
            if let problem = checks[index].problem { problems.append(problem) }
        }
    }
}
