import SkyrosDisk

/// What a simulated disk consists of.
struct SimulatedState: Sendable {
    /// A file's content, whatever its names are.
    struct Inode: Sendable {
        /// What a reader sees.
        var current: [UInt8] = []
        /// What the last sync made durable.
        var durable: [UInt8] = []
        /// The ranges written since then.
        var unsynced: [Range<Int>] = []
        /// The ranges that a failed sync left clean: later syncs do not write them.
        var lost: [Range<Int>] = []
    }

    /// A change of a folder's names that is not durable yet.
    enum NameChange: Sendable {
        case set(String, Int)
        case remove(String)
    }

    /// A folder's names.
    struct Names: Sendable {
        var current: [String: Int] = [:]
        var durable: [String: Int] = [:]
        var unsynced: [[NameChange]] = []
    }

    var inodes: [Int: Inode] = [:]
    var names: [Folder: Names] = [:]
    var isLocked = false
    var bootNumber = 1
    var operations: [SimulatedDisk.Operation] = []
    var faults: [Fault] = []
    private var nextInode = 1

    /// Notes an operation; returns the fault that hits it, if one does.
    mutating func begin(_ kind: SimulatedDisk.Kind, _ path: String) -> Fault? {
        operations.append(SimulatedDisk.Operation(kind: kind, path: path))
        for index in faults.indices where faults[index].kind.map({ $0 == kind }) ?? true {
            if faults[index].after > 0 {
                faults[index].after -= 1
                continue
            }
            let fault = faults[index]
            if !fault.isLasting { faults.remove(at: index) }
            return fault
        }
        return nil
    }

    // MARK: Names

    func inode(_ path: DiskPath) -> Int? { names[path.folder]?.current[path.name] }

    mutating func create(_ path: DiskPath) -> Int {
        let number = nextInode
        nextInode += 1
        inodes[number] = Inode()
        change(path.folder, [.set(path.name, number)])
        return number
    }

    mutating func remove(_ path: DiskPath) {
        if inode(path) != nil { change(path.folder, [.remove(path.name)]) }
    }

    /// A rename within a folder is one change: it happens as a whole or not at all.
    mutating func rename(_ source: DiskPath, to target: DiskPath) -> Bool {
        guard let number = inode(source) else { return false }
        if source.folder == target.folder {
            change(source.folder, [.remove(source.name), .set(target.name, number)])
        } else {
            change(target.folder, [.set(target.name, number)])
            change(source.folder, [.remove(source.name)])
        }
        return true
    }

    mutating func syncFolder(_ folder: Folder) {
        guard let current = names[folder]?.current else { return }
        names[folder] = Names(current: current, durable: current)
    }

    private mutating func change(_ folder: Folder, _ changes: [NameChange]) {
        names[folder, default: Names()].unsynced.append(changes)
        Self.apply(changes, to: &names[folder, default: Names()].current)
    }

    private static func apply(_ changes: [NameChange], to names: inout [String: Int]) {
        for change in changes {
            switch change {
            case .set(let name, let inode): names[name] = inode
            case .remove(let name): names[name] = nil
            }
        }
    }

    // MARK: Content

    mutating func write(_ bytes: UnsafeRawBufferPointer, to inode: Int, at position: Int) {
        let end = position + bytes.count
        resize(inode, to: max(end, inodes[inode]?.current.count ?? 0))
        inodes[inode]?.current.replaceSubrange(position..<end, with: bytes)
        inodes[inode]?.unsynced.append(position..<end)
        inodes[inode]?.lost.removeAll { $0.lowerBound >= position && $0.upperBound <= end }
    }

    mutating func resize(_ inode: Int, to size: Int) {
        guard let count = inodes[inode]?.current.count else { return }
        if size < count {
            inodes[inode]?.current.removeLast(count - size)
        } else {
            inodes[inode]?.current += [UInt8](repeating: 0, count: size - count)
        }
    }

    mutating func syncFile(_ inode: Int) {
        guard let file = inodes[inode] else { return }
        var durable = file.current
        for range in file.lost {
            for index in range.clamped(to: 0..<durable.count) {
                durable[index] = index < file.durable.count ? file.durable[index] : 0
            }
        }
        inodes[inode]?.durable = durable
        inodes[inode]?.unsynced = []
    }

    // MARK: Ends

    /// As the next process finds it.
    func killed() -> SimulatedState {
        var next = self
        next.isLocked = false
        next.operations = []
        next.faults = []
        return next
    }

    /// As a machine may find it after a power cut.
    func crashed(seed: UInt64) -> SimulatedState {
        var random = SplitMix64(seed: seed)
        var next = killed()
        next.bootNumber += 1
        for folder in Folder.allCases {
            guard let before = names[folder] else { continue }
            var kept = before.durable
            for changes in before.unsynced where random.flip() { Self.apply(changes, to: &kept) }
            next.names[folder] = Names(current: kept, durable: kept)
        }
        for number in inodes.keys.sorted() {
            let content = inodes[number]?.torn(&random) ?? []
            next.inodes[number] = Inode(current: content, durable: content)
        }
        return next
    }

    // MARK: From outside

    var contents: [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for (folder, names) in names {
            for (name, inode) in names.current {
                contents[DiskPath(folder, name).description] = inodes[inode]?.current ?? []
            }
        }
        return contents
    }

    private func find(_ path: String) -> DiskPath? {
        for (folder, names) in names {
            for name in names.current.keys where DiskPath(folder, name).description == path {
                return DiskPath(folder, name)
            }
        }
        return nil
    }

    mutating func overwrite(_ path: String, with bytes: [UInt8]) {
        let parts = path.split(separator: "/").map(String.init)
        let folder = parts.count > 1 ? Folder(rawValue: parts[0]) ?? .root : .root
        let place = find(path) ?? DiskPath(folder, parts.last ?? path)
        let number = inode(place) ?? create(place)
        inodes[number] = Inode(current: bytes, durable: bytes)
        syncFolder(place.folder)
    }

    mutating func erase(_ path: String) {
        guard let place = find(path) else { return }
        remove(place)
        syncFolder(place.folder)
    }
}

extension SimulatedState.Inode {
    private static let sectorBytes = 512

    /// The content after a power cut: of what was not synced, each sector is old, new, zero or
    /// garbage, and the size is the old one or the new one.
    fileprivate func torn(_ random: inout SplitMix64) -> [UInt8] {
        if unsynced.isEmpty, durable.count == current.count { return durable }
        let size = random.flip() ? current.count : durable.count
        var content = Array(durable.prefix(size))
        content += [UInt8](repeating: 0, count: size - content.count)
        for range in unsynced {
            var start = range.lowerBound
            while start < min(range.upperBound, size) {
                let next = (start / Self.sectorBytes + 1) * Self.sectorBytes
                let end = min(next, range.upperBound, size)
                replace(start..<end, in: &content, &random)
                start = end
            }
        }
        return content
    }

    private func replace(
        _ range: Range<Int>, in content: inout [UInt8], _ random: inout SplitMix64
    ) {
        switch random.next() % 8 {
        case 0, 1: break
        case 2: for index in range { content[index] = 0 }
        case 3: for index in range { content[index] = UInt8(truncatingIfNeeded: random.next()) }
        default:
            // A later truncation may have taken the end of what was written.
            let there = range.clamped(to: 0..<current.count)
            content.replaceSubrange(there, with: current[there])
        }
    }
}

/// A small random generator whose numbers follow from its seed.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func flip() -> Bool { next() & 1 == 1 }
}
