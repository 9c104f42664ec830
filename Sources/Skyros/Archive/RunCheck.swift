import SkyrosDisk
import SkyrosLog

/// Compares a run of the history with the events that it covers.
///
/// Both sides are added up: the sum of the hashes of all versions does not depend on their order.
struct RunCheck {
    private enum Form {
        case difference
        /// The event has it.
        case absent
    }

    private let run: HistoryRun
    /// The versions that the run does not have whole, by their hashes without images.
    private var forms: [UInt64: Form] = [:]
    private struct Clearing: Hashable {
        let entity: [UInt8]
        let sequence: SequenceNumber
    }

    /// Those of the run, while it is read.
    private var clearings: Set<Clearing> = []
    private var sum: UInt64 = 0
    private var count = 0
    /// Whether each key is where it is searched.
    private var isOrdered = true
    /// The last event of the label that is being read.
    private var lastPosting: UInt64 = 0

    /// Reads the run.
    ///
    /// - Throws: `LogError` with `.corrupt` if it is damaged.
    init(_ run: HistoryRun) throws {
        self.run = run
        var lastKey: HistoryKey?
        var last: (version: RecordVersion, isRepeated: Bool)?
        var lastFrame: Int?
        try run.forEachItem { item, frame in
            let key = item.historyKey
            if frame != lastFrame, try !isFirst(item, key, of: frame) { isOrdered = false }
            lastFrame = frame
            if key != lastKey {
                if let lastKey, let last { add(last.version, of: lastKey, last.isRepeated) }
                if try !isFound(key, in: frame, after: lastKey) { isOrdered = false }
                (lastKey, last, lastPosting) = (key, nil, 0)
            }
            var reader = CBORReader(item.versions)
            if key.isLabel { return try addLabel(key, &reader) }
            while !reader.isAtEnd {
                let version = try RecordVersion(&reader)
                let isRepeated = last?.version.sequence == version.sequence
                if let last, !last.version.precedes(version), !isRepeated { isOrdered = false }
                if let last { add(last.version, of: key, last.isRepeated || isRepeated) }
                last = (version, isRepeated)
            }
        }
        if let lastKey, let last { add(last.version, of: lastKey, last.isRepeated) }
        clearings = []
    }

    /// Adds the events that have a label.
    private mutating func addLabel(
        _ label: HistoryKey, _ reader: inout CBORReader
    ) throws(CBORError) {
        while !reader.isAtEnd {
            try Postings.forEach(&reader) { sequence in
                if sequence <= lastPosting { isOrdered = false }
                lastPosting = sequence
                sum &+= Self.hash(sequence, of: label)
                count += 1
            }
        }
    }

    /// Whether the index says of a frame with which versions it begins.
    private func isFirst(_ item: RunItem, _ key: HistoryKey, of frame: Int) throws -> Bool {
        var reader = CBORReader(item.versions)
        let first = try RecordVersion.skipSequence(&reader)
        return try run.index.firstSequence(ofFrame: frame) == first
            && run.index.compareKey(ofFrame: frame, to: key) == 0
    }

    private func isFound(
        _ key: HistoryKey, in frame: Int, after last: HistoryKey?
    ) throws -> Bool {
        if let last, !(last < key) { return false }
        return try run.index.filter.mayContain(key.hash)
            && run.index.frames(of: key).contains(frame)
    }

    /// Adds a version of the run. Of an event that changes a record several times, or clears its
    /// entity, images are not compared.
    private mutating func add(_ version: RecordVersion, of key: HistoryKey, _ isRepeated: Bool) {
        // The clearings of an entity come before its records.
        if version.kind == .cleared {
            clearings.insert(Clearing(entity: key.entity, sequence: version.sequence))
        }
        let isRepeated = isRepeated || isCleared(version, key)
        let plain = version.withoutImage
        if version.kind != .cleared, !isRepeated {
            switch version.image {
            case .record: break
            case .difference: forms[Self.hash(plain, of: key)] = .difference
            case .absent: forms[Self.hash(plain, of: key)] = .absent
            }
        }
        sum &+= Self.hash(isRepeated ? plain : version, of: key)
        count += 1
    }

    /// Adds an event of the log, after which the state is `state`.
    mutating func note(_ event: Event, leading state: Snapshot) {
        for label in EventLabel.keys(of: event) {
            sum &-= Self.hash(event.sequence.rawValue, of: label)
            count -= 1
        }
        let list = RecordVersion.list(of: event)
        let keys = list.count > 1 ? Dictionary(grouping: list, by: \.key) : [:]
        let cleared = Set(list.lazy.filter { $0.key.id == nil }.map(\.key.entity))
        for (key, version) in list {
            var version = version
            if keys[key]?.count ?? 1 > 1
                || version.kind == .updated && cleared.contains(key.entity)
            {
                version.image = .absent
            } else if let form = forms[Self.hash(version.withoutImage, of: key)] {
                if form == .absent { version.image = .absent }
            } else if version.kind == .updated {
                version.image = record(key, in: state).map { .record($0) } ?? .absent
            }
            sum &-= Self.hash(version, of: key)
            count -= 1
        }
    }

    /// Whether the event of an update clears the entity, too.
    private func isCleared(_ version: RecordVersion, _ key: HistoryKey) -> Bool {
        version.kind == .updated
            && clearings.contains(Clearing(entity: key.entity, sequence: version.sequence))
    }

    private func record(_ key: HistoryKey, in state: Snapshot) -> [UInt8]? {
        guard let id = key.id else { return nil }
        return state.table(String(decoding: key.entity, as: UTF8.self))?.row(id)?.bytes
    }

    /// What is wrong with the run, once all of its events were added; nil if nothing is.
    ///
    /// - Parameter chainHash: that of the log through the last of them.
    func problem(_ chainHash: ChainHash) -> String? {
        if sum == 0, count == 0, isOrdered, chainHash == run.header.chainHashAfter { return nil }
        return
            "\(run.name.path) does not have the changes that the log has; remove it, and the store "
            + "makes it again"
    }

    private static func hash(_ sequence: UInt64, of label: HistoryKey) -> UInt64 {
        XXH64.hash(label.bytes, seed: sequence)
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

/// Compares the runs of a store with its log, while that is folded.
struct RunChecks {
    private let disk: any Disk
    private let storeID: StoreID
    /// The runs whose events were not reached yet.
    private var names: [RunName]
    private var checks: [RunCheckInProgress] = []
    private(set) var problems: [String] = []

    private typealias RunCheckInProgress = (name: RunName, check: RunCheck)

    init(of archive: Archive) {
        disk = archive.disk
        storeID = archive.log.storeID
        // What the writer has covered since the archive looked is of no concern.
        let (first, last) = (archive.log.firstSequence, archive.log.head.sequence)
        do throws(DiskError) {
            names = try RunName.list(on: disk).filter {
                // One that begins below the floor is removed by the next opening.
                $0.kind == .run && $0.sequences.lowerBound >= first
                    && $0.sequences.upperBound <= last
            }
        } catch {
            names = []
            problems.append("history/ cannot be listed: \(error)")
        }
    }

    /// Adds an event of the log, after which the state is `state`.
    mutating func note(_ event: Event, _ chainHash: ChainHash, leading state: Snapshot) {
        let sequence = event.sequence.rawValue
        while let name = names.first, name.sequences.lowerBound <= sequence {
            names.removeFirst()
            open(name)
        }
        for index in checks.indices.reversed() {
            checks[index].check.note(event, leading: state)
            guard checks[index].name.sequences.upperBound == sequence else { continue }
            if let problem = checks[index].check.problem(chainHash) { problems.append(problem) }
            checks.remove(at: index)
        }
    }

    private mutating func open(_ name: RunName) {
        do {
            let run = try HistoryRun(name, on: disk, cache: FrameCache())
            guard run.header.storeID == storeID else {
                return problems.append("\(name.path) is of another store")
            }
            checks.append((name, try RunCheck(run)))
        } catch let error as LogError where error.cause?.isNotFound ?? false {
            // The writer has merged it.
        } catch {
            problems.append(
                "\(name.path) cannot be used: \(StoreError.wrapping(error).message). The log has "
                    + "all of it; remove the file, and the store makes it again")
        }
    }
}
