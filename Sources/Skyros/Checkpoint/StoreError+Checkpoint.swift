import SkyrosDisk
import SkyrosLog

extension StoreError {
    /// The error itself, if it is one of the store's, or one that has it as its cause.
    static func wrapping(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: error
        case let error as LogError: StoreError(error)
        case let error as DiskError: StoreError(error)
        case let error as CheckpointError: StoreError(error)
        default:
            StoreError(
                .blockFailed, "the write block threw an error; nothing was written",
                cause: String(describing: error))
        }
    }

    init(_ error: CheckpointError, in file: String = "checkpoint.sqlite") {
        let place = Place(file: file)
        if case .newerFormat = error {
            self.init(.unsupportedFormat, error.description, at: place)
        } else {
            self.init(.checkpointFailed, "\(error) The log is not affected.", at: place)
        }
    }
}
