// Measures Skyros beside SQLite and beside what a program without any library would do.
//
//     skyros-benchmark [--quick] [--json FILE] [--only W1,W4]
//
// All sides do the same work in one run: compare their ratios, not their times. Each measurement
// runs in its own process; see Conductor.

import BenchmarkModel
import Foundation

do {
    if let mismatch = CheckValues.rowMismatch() { throw BenchmarkError(mismatch) }
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    let bench = Bench(settings: arguments.settings, root: arguments.directory)
    switch arguments.role {
    case .conduct:
        exit(try Report.run(arguments))
    case .cluster:
        try ClusterReport.run(arguments)
    case .prepare(let fixture, let side):
        try fixture.prepare(side, in: bench)
    case .measure(let workload, let side):
        try ChildProcess.answer(bench.measure(workload, side))
    case .probe(let probe, let launch, let words):
        try Probe.answer(probe, launch: launch, words, bench)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
