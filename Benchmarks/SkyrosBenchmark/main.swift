// Measures Skyros beside SQLite and beside what a program without any library would do.
//
//     skyros-benchmark [--quick] [--json FILE] [--only W1,W4]
//
// The same work for all, in one run, so that what counts is the ratio. Each measurement runs in its
// own process; see Conductor.

import Foundation

do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    let bench = Bench(settings: arguments.settings, root: arguments.directory)
    switch arguments.role {
    case .conduct:
        exit(try Report.run(arguments))
    case .prepare(let fixture, let side):
        try fixture.prepare(side, in: bench)
    case .measure(let workload, let side):
        try ChildProcess.answer(workload.measure(side, bench))
    case .probe(let probe, let launch, let words):
        try Probe.answer(probe, launch: launch, words)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
