// swift-tools-version: 6.2

// The map of the package. Targets are in the order of the data: bytes at the edges first,
// meaning in the middle, the tools and the tests that use it last. Imports go up this list only.

import PackageDescription

let package = Package(
    name: "Skyros",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Skyros", targets: ["Skyros"]),
        .library(name: "SkyrosTesting", targets: ["SkyrosTesting"]),
        .library(name: "SkyrosPostgres", targets: ["SkyrosPostgres"]),
        .executable(name: "skyros", targets: ["SkyrosTool"]),
        .executable(name: "git-history", targets: ["GitHistory"]),
        .executable(name: "restaurant", targets: ["Restaurant"]),
        .executable(name: "basket", targets: ["Basket"]),
        .executable(name: "wishlist", targets: ["Wishlist"]),
        .executable(name: "kanban", targets: ["Kanban"]),
        .executable(name: "library", targets: ["Library"]),
        .executable(name: "ledger", targets: ["Ledger"]),
        .executable(name: "skyros-benchmark", targets: ["SkyrosBenchmark"]),
        .executable(name: "program-with-skyros", targets: ["ProgramWithSkyros"]),
        .executable(name: "program-without-skyros", targets: ["ProgramWithoutSkyros"]),
    ],
    traits: [
        .trait(name: "SystemZstd", description: "Use the zstd library of the system."),
        .trait(
            name: "BundledZstd",
            description: "Build zstd from its package, where the system has none: iOS, Android."),
        .trait(
            name: "Postgres", description: "Keep the log on a PostgreSQL server; needs libpq."),
        .default(enabledTraits: ["SystemZstd"]),
    ],
    // Fetched only with the trait.
    dependencies: [.package(url: "https://github.com/facebook/zstd.git", from: "1.5.4")],
    targets: [
        // MARK: System libraries, and the C library under one name
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CPQ",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .systemLibrary(name: "CLinux"),
        .target(name: "SkyrosPlatform", dependencies: ["CLinux"]),

        // MARK: Edges: bytes and rows, no meaning
        .target(name: "SkyrosDisk", dependencies: ["SkyrosPlatform"]),
        .target(
            name: "SkyrosLog",
            dependencies: [
                "SkyrosDisk",
                .byName(name: "CZstd", condition: .when(traits: ["SystemZstd"])),
                .product(
                    name: "libzstd", package: "zstd", condition: .when(traits: ["BundledZstd"])),
            ]),
        .target(name: "SkyrosSQLite", dependencies: ["SkyrosDisk", "CSQLite"]),

        // MARK: The library
        .target(
            name: "Skyros",
            dependencies: ["SkyrosPlatform", "SkyrosDisk", "SkyrosLog", "SkyrosSQLite"]),

        // Empty without the trait.
        .target(
            name: "SkyrosPostgres",
            dependencies: [
                "SkyrosPlatform", "SkyrosDisk", "SkyrosLog", "Skyros",
                .byName(name: "CPQ", condition: .when(traits: ["Postgres"])),
            ]),
        .target(
            name: "SkyrosTesting", dependencies: ["Skyros", "SkyrosDisk", "SkyrosLog", "CSQLite"]),
        .target(
            name: "SkyrosReport",
            resources: [
                .embedInCode("Page/page.html"), .embedInCode("Page/page.css"),
                .embedInCode("Page/model.js"), .embedInCode("Page/values.js"),
                .embedInCode("Page/charts.js"), .embedInCode("Page/lists.js"),
                .embedInCode("Page/views.js"), .embedInCode("Page/page.js"),
            ]),
        .executableTarget(
            name: "SkyrosTool",
            dependencies: [
                "Skyros", "SkyrosDisk", "SkyrosSQLite", "SkyrosReport", "SkyrosPostgres",
            ]),

        // MARK: Examples
        .executableTarget(
            name: "GitHistory", dependencies: ["Skyros", "SkyrosPostgres"],
            path: "Examples/GitHistory",
            exclude: ["history.fi"]),
        .executableTarget(
            name: "Restaurant", dependencies: ["Skyros"], path: "Examples/Restaurant"),
        .executableTarget(name: "Basket", dependencies: ["Skyros"], path: "Examples/Basket"),
        .executableTarget(name: "Wishlist", dependencies: ["Skyros"], path: "Examples/Wishlist"),
        .executableTarget(name: "Kanban", dependencies: ["Skyros"], path: "Examples/Kanban"),
        .executableTarget(name: "Library", dependencies: ["Skyros"], path: "Examples/Library"),
        .executableTarget(name: "Ledger", dependencies: ["Skyros"], path: "Examples/Ledger"),

        // MARK: Benchmarks
        .target(
            name: "BenchmarkModel", dependencies: ["Skyros"], path: "Benchmarks/BenchmarkModel"),
        .executableTarget(
            name: "SkyrosBenchmark",
            dependencies: [
                "BenchmarkModel", "Skyros", "SkyrosPostgres", "SkyrosTesting", "CSQLite",
                .byName(name: "CPQ", condition: .when(traits: ["Postgres"])),
            ],
            path: "Benchmarks/SkyrosBenchmark"),
        .executableTarget(
            name: "ProgramWithSkyros", dependencies: ["Skyros"],
            path: "Benchmarks/ProgramWithSkyros"),
        .executableTarget(
            name: "ProgramWithoutSkyros", path: "Benchmarks/ProgramWithoutSkyros"),

        // MARK: Tests
        .target(
            name: "TestSupport",
            dependencies: [
                "Skyros", "SkyrosDisk", "SkyrosLog", "SkyrosPostgres", "SkyrosTesting",
            ],
            path: "Tests/TestSupport"),
        .executableTarget(
            name: "CrashWriter", dependencies: ["Skyros", "SkyrosDisk", "SkyrosPlatform"],
            path: "Tests/CrashWriter"),
        .executableTarget(
            name: "ClusterNode", dependencies: ["Skyros", "SkyrosDisk", "SkyrosPostgres"],
            path: "Tests/ClusterNode"),
        .executableTarget(
            name: "AllocationCounter", dependencies: ["Skyros"], path: "Tests/AllocationCounter"),
        .testTarget(name: "TidyTests"),
        .testTarget(name: "BenchmarkModelTests", dependencies: ["BenchmarkModel"]),
        .testTarget(
            name: "SkyrosDiskTests",
            dependencies: [
                "SkyrosPlatform", "SkyrosDisk", "SkyrosTesting", "CrashWriter", "TestSupport",
            ]),
        .testTarget(
            name: "SkyrosSQLiteTests",
            dependencies: ["SkyrosDisk", "SkyrosSQLite", "TestSupport"]),
        .testTarget(
            name: "SkyrosLogTests",
            dependencies: [
                "SkyrosLog", "SkyrosDisk", "SkyrosPostgres", "SkyrosTesting", "TestSupport",
            ]),
        .testTarget(
            name: "SkyrosTestingTests",
            dependencies: [
                "Skyros", "SkyrosDisk", "SkyrosLog", "SkyrosSQLite", "SkyrosTesting",
                "TestSupport",
            ]),
        .testTarget(
            name: "ConcurrencyTests",
            dependencies: ["Skyros", "SkyrosDisk", "SkyrosLog", "SkyrosTesting", "TestSupport"]),
        .testTarget(
            name: "SkyrosTests",
            dependencies: [
                "Skyros", "SkyrosDisk", "SkyrosLog", "SkyrosSQLite", "SkyrosTesting",
                "TestSupport",
            ]),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Skyros", "SkyrosDisk", "SkyrosLog", "SkyrosSQLite", "SkyrosTesting",
                "SkyrosPostgres", "SkyrosTool", "AllocationCounter", "CrashWriter", "GitHistory",
                "Restaurant", "Basket", "Wishlist", "Kanban", "Library", "Ledger", "TestSupport",
            ]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "Skyros", "SkyrosTesting", "Basket", "Wishlist", "Kanban", "Library", "Ledger",
                "TestSupport",
            ],
            exclude: ["Overdraft/history.skyros"]),
        .testTarget(
            name: "ParityTests",
            dependencies: ["Skyros", "SkyrosDisk", "SkyrosTesting", "TestSupport"]),
        .testTarget(
            name: "PostgresTests",
            dependencies: ["Skyros", "SkyrosDisk", "SkyrosLog", "SkyrosPostgres", "TestSupport"]),
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Skyros", "SkyrosDisk", "SkyrosLog", "SkyrosSQLite", "SkyrosTesting",
            ],
            path: "Fuzzing", exclude: ["Corpus", "Driver", "Memory", "StoreRuns"],
            sources: ["Targets", "Tests"]),
    ]
)

// The fuzzers are linked with libFuzzer, which ordinary builds are not: scripts/fuzz asks for them.
if Context.environment["SKYROS_FUZZING"] != nil {
    // Their files are taken over, and a file belongs to one target.
    let tool = package.targets.first { $0.name == "SkyrosTool" }
    package.targets.removeAll { $0.type == .test || $0.name == "SkyrosTool" }
    package.products.removeAll { $0.name == "skyros" }
    package.targets += [
        .target(name: "MemoryLimit", path: "Fuzzing/Memory"),
        .executableTarget(
            name: "SkyrosFuzzing",
            dependencies: (tool?.dependencies ?? [])
                + ["SkyrosLog", "SkyrosTesting", "MemoryLimit"],
            path: ".", exclude: ["Sources/SkyrosTool/main.swift"],
            sources: [
                "Fuzzing/Driver", "Fuzzing/StoreRuns", "Fuzzing/Targets", "Sources/SkyrosTool",
                "Tests/SkyrosTestingTests/CrashRuns",
            ]),
    ]
}

// `SKYROS_TESTS=StoreTests,SkyrosTests` keeps these test targets and the targets that they need.
if let wanted = Context.environment["SKYROS_TESTS"] {
    var needed = Set(wanted.split(separator: ",").map(String.init))
    for target in package.targets.reversed() where needed.contains(target.name) {
        for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        switch product {
        case let product as Product.Executable: !needed.isSuperset(of: product.targets)
        case let product as Product.Library: !needed.isSuperset(of: product.targets)
        default: false
        }
    }
}

// One place for the settings: every Swift target is held to the same.
for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .treatAllWarnings(as: .error),
            // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
            .enableUpcomingFeature("ExistentialAny"),
            // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
            .enableUpcomingFeature("InternalImportsByDefault"),
            // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}

// `scripts/test` optimizes the library, the simulated disk, and what reads all sources. Most
// optimized test targets would take longer to build than they save. Only a build of this package
// itself may have such flags.
if Context.environment["SKYROS_OPTIMIZED"] != nil {
    let optimized = [
        "SkyrosPlatform", "SkyrosDisk", "SkyrosLog", "SkyrosSQLite", "Skyros", "SkyrosTesting",
        "TestSupport", "TidyTests",
    ]
    // A module is compiled as a whole, by one job, which parses its many files once. There is an
    // object file for each source file, as a debug build expects.
    let whole = [
        "-whole-module-optimization", "-num-threads", "2", "-no-emit-module-separately-wmo",
    ]
    for target in package.targets where target.type != .system {
        // For size, which takes a sixth less time to compile. The checks of a debug build stay.
        let flags = optimized.contains(target.name) ? ["-Osize", "-assert-config", "Debug"] : []
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(whole + flags)]
    }
}
