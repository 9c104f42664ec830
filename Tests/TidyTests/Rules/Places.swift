/// Parts of the repository that several rules speak of.
enum Places {
    static let edges = ["Sources/SkyrosDisk/", "Sources/SkyrosLog/", "Sources/SkyrosSQLite/"]
    static let library = "Sources/Skyros/"
    static let programs = ["Sources/SkyrosTool/", "Benchmarks/", "Examples/"]
}
