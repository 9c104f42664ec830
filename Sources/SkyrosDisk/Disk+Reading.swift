extension Disk {
    /// The bytes of a small file; of one that is longer, the first `byteCountMax`.
    package func bytes(of path: DiskPath, byteCountMax: Int) throws(DiskError) -> [UInt8] {
        let file = try open(path, .read)
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(DiskError) in
            try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        try file.close()
        return Array(bytes.prefix(count))
    }
}
