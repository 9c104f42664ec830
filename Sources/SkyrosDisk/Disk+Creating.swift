extension Disk {
    /// Makes `directory`, if it is not there yet, so that it survives a power cut.
    ///
    /// An empty one is made anew: a sync that failed for an earlier process may have left its
    /// name in the system's memory alone, and a sync that finds nothing to write would prove
    /// nothing. Where there are files, somebody has seen a sync succeed before he put them there.
    package func makeDirectoryDurably(_ directory: Directory) throws(DiskError) {
        if try list(directory).isEmpty { try removeDirectory(directory) }
        try makeDirectory(directory)
        try syncDirectory(.root)
    }
}
