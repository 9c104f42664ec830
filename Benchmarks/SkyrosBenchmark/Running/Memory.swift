import Foundation

/// Memory of this process and of the machine.
enum Memory {
    /// Touches memory and gives it back, so that the pages that the next process gets are there.
    ///
    /// On a small virtual machine the first touch of a page that the host has taken back costs
    /// microseconds: page faults would dominate the measurement of a program that grows.
    static func warm(bytes wanted: Int) {
        let bytes = min(wanted, availableBytes / 4)
        let page = 4_096
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: page)
        for offset in stride(from: 0, to: bytes, by: page) {
            memory.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        memory.deallocate()
    }

    /// Bytes of memory that this process holds now.
    static var residentBytes: Int {
        #if os(Linux)
            // The second number counts resident pages.
            let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            let numbers = (text ?? "").split(separator: " ").compactMap { Int($0) }
            return numbers.count > 1 ? numbers[1] * 4_096 : 0
        #else
            // The maximum so far serves instead: the measured memory only grows.
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return Int(usage.ru_maxrss)
        #endif
    }

    /// Bytes that this process has handed to the system to be written so far; 0 where that is not
    /// to be learned.
    static var writtenBytes: Int {
        let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = (text ?? "").split(separator: "\n").first { $0.hasPrefix("wchar:") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    private static var availableBytes: Int {
        let all = Int(ProcessInfo.processInfo.physicalMemory)
        guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8) else {
            return all / 2
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return kibibytes.map { $0 * 1_024 } ?? all / 2
    }
}
