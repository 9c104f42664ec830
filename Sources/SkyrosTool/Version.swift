import Skyros

/// The version of the tool, and of the formats that it reads.
enum Version {
    static var text: String {
        "skyros, unreleased; log format \(StoreFormats.log), "
            + "checkpoint format \(StoreFormats.checkpoint)"
    }
}
