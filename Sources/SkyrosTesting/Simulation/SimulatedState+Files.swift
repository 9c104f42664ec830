import SkyrosDisk

// Access to the files past the store: reading all contents, and simulating damage.
extension SimulatedState {
    /// The contents of all files by path.
    var contents: [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for (directory, names) in names {
            for (name, inode) in names.current where inode != Self.directoryInode {
                contents[DiskPath(directory, name).description] = inodes[inode]?.current ?? []
            }
        }
        return contents
    }

    mutating func overwrite(_ path: String, with bytes: [UInt8]) {
        let place = place(of: path)
        makeDirectory(place.directory)
        syncDirectory(.root)
        let number = inode(place) ?? create(place)
        inodes[number] = Inode(current: bytes, durable: bytes)
        syncDirectory(place.directory)
    }

    mutating func erase(_ path: String) {
        let place = place(of: path)
        remove(place)
        syncDirectory(place.directory)
    }

    private func place(of path: String) -> DiskPath {
        let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let directory = Directory(rawValue: parts[0]) else {
            return DiskPath(.root, path)
        }
        return DiskPath(directory, parts[1])
    }
}
