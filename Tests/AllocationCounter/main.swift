// Reads records by id, and has glibc note every allocation meanwhile.
//
//     LD_PRELOAD=libc_malloc_debug.so.0 MALLOC_TRACE=FILE AllocationCounter FOLDER
//
// Each allocation is a line of the file, with its size as the last word. One is made on purpose
// around each round of reads: what a thread of the background allocates meanwhile is not in all.
// https://man7.org/linux/man-pages/man3/mtrace.3.html

import Foundation
import Skyros

#if canImport(Glibc)
    // Swift does not import <mcheck.h>. The linker binds to the version of the functions that the
    // preloaded library replaces; a look-up at run time would find another one.
    @_silgen_name("mtrace") func beginTrace()
#else
    func beginTrace() {}
#endif

/// Leaves a line in the trace. No optimizer knows that this allocates, and so none leaves it out.
func mark() {
    var noted: UnsafeMutableRawPointer?
    posix_memalign(&noted, 16, 4_321)
    free(noted)
}

/// No field of it lies on the heap.
struct Point: Entity {
    var id: Int
    var x: Double
    var y: Double
}

let count = 1_000

/// Opens a store, which does nothing by itself during the next minute.
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

/// Reads each record in each of the ways; gives a sum.
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
// The first reader decodes.
let before = try readAll(written) + readAll(loaded)
var after = 0.0
beginTrace()
for _ in 0..<5 {
    mark()
    after = try readAll(written) + readAll(loaded)
}
// The trace goes on to the end: to stop it under other threads can crash in the C library.
mark()
precondition(before == after, "the same records")
print(after)
