import SkyrosDisk

// What happens to a disk behind the back of the process that uses it.
extension SimulatedState {
    /// The contents of all files, by their paths.
    var contents: [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for (folder, names) in names {
            for (name, inode) in names.current where inode != Self.folderInode {
                contents[DiskPath(folder, name).description] = inodes[inode]?.current ?? []
            }
        }
        return contents
    }

    mutating func overwrite(_ path: String, with bytes: [UInt8]) {
        let place = place(of: path)
        makeFolder(place.folder)
        syncFolder(.root)
        let number = inode(place) ?? create(place)
        inodes[number] = Inode(current: bytes, durable: bytes)
        syncFolder(place.folder)
    }

    mutating func erase(_ path: String) {
        let place = place(of: path)
        remove(place)
        syncFolder(place.folder)
    }

    private func place(of path: String) -> DiskPath {
        let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let folder = Folder(rawValue: parts[0]) else {
            return DiskPath(.root, path)
        }
        return DiskPath(folder, parts[1])
    }
}
