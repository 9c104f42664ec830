// Reads records by id while glibc traces every allocation.
//
//     LD_PRELOAD=libc_malloc_debug.so.0 MALLOC_TRACE=FILE AllocationCounter DIRECTORY
//
// Each allocation is a line of FILE that ends with its size. A marker allocation separates the
// rounds of reads: a background thread may allocate during some rounds, but not during all.
// https://man7.org/linux/man-pages/man3/mtrace.3.html

import Foundation
import Skyros

#if canImport(Glibc)
    // Swift does not import <mcheck.h>. The linker binds to the symbol version that the preloaded
    // library replaces; `dlsym` would find another version.
    @_silgen_name("mtrace") func beginTrace()
#else
    func beginTrace() {}
#endif

/// Adds a marker to the trace. The optimizer does not know that `posix_memalign` allocates, so it
/// does not remove the call.
func mark() {
    var marker: UnsafeMutableRawPointer?
    posix_memalign(&marker, 16, 4_321)
    free(marker)
}

/// An entity without a field that needs the heap.
struct Point: Entity {
    var id: Int
    var x: Double
    var y: Double
}

let count = 1_000

/// Opens a store without background syncs during the next minute.
func open(_ name: String) throws -> Store {
    var options = Store.Options()
    options.syncInterval = .milliseconds(60_000)
    let directory = URL(filePath: CommandLine.arguments[1]).appending(path: name)
    return try Store(at: directory, entities: Point.self, options: options)
}

func fill(_ store: Store) throws {
    try store.write { tx in
        for id in 0..<count { try tx.insert(Point(id: id, x: Double(id), y: 1)) }
    }
}

/// Reads each record in each possible way, and returns a checksum.
func readAll(_ store: Store) throws -> Double {
    var sum = 0.0
    for id in 0..<count {
        if let point = try store.get(Point.self, id) { sum += point.x }
        sum += try store.withValue(of: Point.self, id) { $0.y } ?? 0
        sum += try store.exists(Point.self, id) ? 1 : 0
    }
    return sum
}

let written = try open("written.skyros")
try fill(written)
var loaded = try open("loaded.skyros")
try fill(loaded)
try loaded.close()
loaded = try open("loaded.skyros")
// The first read of a loaded record decodes it.
let before = try readAll(written) + readAll(loaded)
var after = 0.0
beginTrace()
for _ in 0..<5 {
    mark()
    after = try readAll(written) + readAll(loaded)
}
// The trace runs until the exit: `muntrace` can crash while other threads allocate.
mark()
precondition(before == after, "the same records")
print(after)
