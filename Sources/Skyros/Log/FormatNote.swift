import SkyrosDisk

/// `FORMAT.txt`, which tells a stranger what the files of a store are.
///
/// It holds no data. Opening a store writes it where it is missing or empty.
enum FormatNote {
    static let file = DiskPath(.root, "FORMAT.txt")

    static let text = """
        This directory is a Skyros store: it keeps records, and every change ever made to them.

          events/*.zst        the history: events 1, 2, 3 ... A file is named after its first
                              event, and changes only when small files are merged. It is an
                              ordinary zstd file: `zstd -dc FILE` prints its events, CBOR items
                              (RFC 8949) one after the other.
          events/*.open       the newest events, not compressed yet: a header (its size is in
                              bytes 12 to 15, little-endian), then blocks at multiples of 8
                              bytes. A block has 48 bytes with B5 first, the kind at byte 1 (1 is
                              an event) and the size of the CBOR after them at bytes 4 to 7.
                              Zeros follow the last block.
          events/*.floor      only if the oldest history was pruned: the records as they were before
                              the event in the name. `zstd -dc FILE` prints them. It is no cache:
                              keep it. Files in events/ with a lower number do not count.
          checkpoint.sqlite   the records as of some event: an ordinary SQLite database, a table for
                              each kind of record. It is a cache and can be deleted.
          history/*.zst       the changes of the events that the name counts, sorted by record, in
                              zstd as well. They are a cache and can be deleted.
          lock                held by the program that has the store open for writing
          quarantine/         only after a crash or damage: what could not be used, kept for you

        An event is a map with "sequence", "time" (microseconds since 1970) and "changes", and with
        "actor", "reason" and the like where they were given. A change has "entity" and "id", and
        "before" and "after": the fields that were changed; all of them if the record was inserted
        (only "after") or deleted (only "before"). "cleared" counts the records of an entity that
        were all deleted. To get the state of any moment, apply the changes in order.

        Back up with `skyros backup`, or copy the directory of a closed store. Do not edit, rename
        or remove files in events/. The project's docs/log-format.md, docs/checkpoint-format.md and
        docs/history-format.md describe every byte; docs/read_log.py reads a log. This is format 2.

        """

    /// Whether the store has none, or an empty one that a crash left.
    static func isMissing(on disk: any Disk) throws(DiskError) -> Bool {
        try disk.status(of: file)?.sizeBytes ?? 0 == 0
    }

    /// Writes the file. Its name is durable once the root is synced.
    static func write(on disk: any Disk) throws(DiskError) {
        try disk.createFile(file, Array(text.utf8)).close()
    }

    /// Writes the file durably if it is missing. It is no data: the store opens without it, too.
    static func restore(on disk: any Disk) {
        guard (try? isMissing(on: disk)) ?? false, (try? write(on: disk)) != nil else { return }
        try? disk.syncDirectory(.root)
    }
}
