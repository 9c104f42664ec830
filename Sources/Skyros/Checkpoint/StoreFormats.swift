import SkyrosLog

/// The versions of the formats that this library writes.
package enum StoreFormats {
    /// The version of the log.
    package static var log: Int { LogFormat.version }
    /// The version of the checkpoint.
    package static var checkpoint: Int { Int(TableLayout.formatVersion) }
}
