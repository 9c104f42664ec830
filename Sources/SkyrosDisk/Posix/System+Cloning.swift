#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension System {
    /// Creates the file `name` with the content of an open file, whose space on the medium both
    /// share until one is changed. Only this user may read and write it.
    ///
    /// - Returns: false if the file system cannot do that, or the two are on different ones; there
    ///   is no such file then.
    static func clone(
        _ source: Int32, to name: String, in directory: PosixDirectory
    ) throws(DiskError) -> Bool {
        #if canImport(Darwin)
            try checkName(name, in: directory.descriptor, .open, directory.path(of: name))
            try remove(name, in: directory)
            guard fclonefileat(source, directory.descriptor, name, 0) == 0 else { return false }
            return true
        #else
            let target = try create(name, in: directory)
            defer { closeFile(target) }
            if ioctl(target, fileClone, source) == 0 { return true }
            try remove(name, in: directory)
            return false
        #endif
    }

    #if !canImport(Darwin)
        /// `FICLONE`, which the C header defines as an expression. Source: `man 2 ioctl_ficlone`.
        private static let fileClone: UInt = 0x4004_9409
    #endif
}
