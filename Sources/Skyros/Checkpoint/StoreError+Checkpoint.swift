import SkyrosDisk
import SkyrosLog

extension StoreError {
    /// The error as a `StoreError`, which users get.
    static func wrapping(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: error
        case let error as LogError: StoreError(error)
        case let error as DiskError: StoreError(error)
        case let error as CheckpointError: StoreError(error)
        case let error as ThreadShortage: StoreError(error)
        default:
            StoreError(.io, "an unexpected error: \(error)")
        }
    }

    init(_ error: CheckpointError, in file: String = "checkpoint.sqlite") {
        let place = Place(file: file)
        if case .newerFormat = error {
            self.init(.unsupportedFormat, error.description, at: place)
        } else if error == .suspended {
            self = .suspended
        } else if error.isBusy {
            self.init(.checkpointBusy, "\(error) The log is not affected.", at: place)
        } else {
            self.init(.checkpointFailed, "\(error) The log is not affected.", at: place)
        }
    }
}
