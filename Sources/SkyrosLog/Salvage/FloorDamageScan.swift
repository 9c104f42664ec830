import SkyrosDisk

/// What can be read of a floor's file, and what is damaged.
struct FloorDamageScan: Sendable {
    let name: SegmentName
    /// The floor; nil if its header or its seek table is damaged.
    let floor: LogFloor?
    /// What is damaged, each with its frame; nil for header, index and seek table.
    let damages: [(frame: Int?, error: LogError)]
    let byteCount: Int

    /// Reads and verifies the whole file.
    ///
    /// - Throws: `LogError` if a disk operation fails, or a newer version wrote the file; damage is
    ///   recorded, not thrown.
    init(_ name: SegmentName, on disk: any Disk) throws(LogError) {
        self.name = name
        byteCount = try onDisk(disk.status(of: name.path))?.sizeBytes ?? 0
        do throws(LogError) {
            let floor = try LogFloor(name, on: disk)
            damages = try floor.damages()
            self.floor = floor
        } catch {
            guard error.isDamage else { throw error }
            floor = nil
            damages = [(nil, error)]
        }
    }

    /// The first batch that the log keeps.
    var firstSequence: UInt64 { name.firstSequence }

    /// The floor, if all of it is as it was written.
    var whole: LogFloor? { damages.isEmpty ? floor : nil }

    /// The damage of the file.
    ///
    /// - Parameters:
    ///   - first: the first batch of the history that the floor has replaced.
    ///   - isLost: whether the state after these batches cannot be made without the floor.
    func logDamages(from first: UInt64, isLost: Bool) -> [LogDamage] {
        let last = firstSequence - 1
        return damages.map { frame, error in
            var why = LogFloor.damageText(error.message, before: firstSequence)
            if isLost {
                why +=
                    "; that state is lost, unless the floor is restored; `skyros salvage "
                    + "--from-checkpoint` saves the records of the checkpoint, if there is one"
            }
            return LogDamage(
                error.code, why, name, at: error.offset, frame: frame.map { $0 + 1 },
                sequences: min(first, last)...last)
        }
    }
}
