/// The format of the log, for those who name it.
package enum LogFormat {
    /// The version that this library writes.
    package static var version: Int { Int(SegmentHeader.version) }
}
