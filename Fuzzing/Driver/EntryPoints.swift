import Foundation

// libFuzzer provides `main` and calls these two functions; see
// https://llvm.org/docs/LibFuzzer.html#fuzz-target
//
//     SkyrosFuzzing list                       prints the names of the fuzzers
//     SkyrosFuzzing inputs NAME DIRECTORY      writes the seeds and the corpus, one file per input
//     SkyrosFuzzing pack DIRECTORY             prints the inputs in a directory as a corpus file
//     SkyrosFuzzing NAME [OPTION…] [PATH…]     runs libFuzzer with its own options

/// Takes the name of the fuzzer from the command line, before libFuzzer reads the rest.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    var arguments = CommandLine.arguments.dropFirst().map { String($0) }
    // To minimize an input libFuzzer starts itself again without the name.
    let inherited = ProcessInfo.processInfo.environment["SKYROS_FUZZER"]
    if let inherited { arguments.insert(inherited, at: 0) }
    do {
        guard try Fuzzers.choose(arguments) else { exit(0) }
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(2)
    }
    if inherited == nil {
        setenv("SKYROS_FUZZER", arguments[0], 1)
        for index in 1..<Int(count.pointee) { words.pointee[index] = words.pointee[index + 1] }
        count.pointee -= 1
    }
    return 0
}

/// Feeds one input to the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    Fuzzers.feed(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}
