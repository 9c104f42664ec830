import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `The place of a store` {
    private func path(
        _ environment: [String: String], of name: String = "Foo",
        in location: Store.Location = .applicationData
    ) throws -> String {
        try Store.url(for: name, in: location, environment: environment)
            .path(percentEncoded: false)
    }

    #if !canImport(Darwin)
        @Test func `S-011: is by its name in the user's directory for data`() throws {
            let data = ["XDG_DATA_HOME": "/data", "HOME": "/home/ann"]
            #expect(try path(data) == "/data/Foo/Store/Store.skyros/")
            for ignored in [[:], ["XDG_DATA_HOME": ""], ["XDG_DATA_HOME": "relative/data"]] {
                let environment = ignored.merging(["HOME": "/home/ann"]) { $1 }
                #expect(
                    try path(environment) == "/home/ann/.local/share/Foo/Store/Store.skyros/")
            }
            #expect(
                try path(data, in: .group("group.example"))
                    == "/data/group.example/Foo/Store/Store.skyros/")
            for environment in [[:], ["HOME": "ann"]] {
                #expect(code { _ = try path(environment) } == .invalidInput)
            }
        }

        @Test func `S-011: is one that opens, and another for each directory`() throws {
            let directory = try TemporaryDirectory()
            let urls = try ["a", "b"].map { name in
                try Store.url(
                    for: "Foo", environment: ["XDG_DATA_HOME": directory.path("\(name)/share")])
            }
            #expect(try directory.contents().isEmpty)
            let stores = try urls.map { try Store(at: $0, entities: User.self) }
            try stores[0].write { try $0.insert(User.john) }
            #expect(try stores.map { try $0.count(User.self) } == [1, 0])
            let file = "a/share/Foo/Store/Store.skyros/events/00000000000000000001.open"
            #expect(try directory.contents().keys.contains(file))
        }
    #endif

    @Test func `S-011: is in a bundle or a directory of the app's choice`() throws {
        let url = URL(filePath: "/srv/shop")
        #expect(try path([:], in: .directory(url)) == "/srv/shop/Foo/Store/Store.skyros/")
        let resources = try #require(Bundle.main.resourceURL).path(percentEncoded: false)
        let found = try path([:], in: .bundle(.main))
        #expect(found.hasPrefix(resources))
        #expect(found.hasSuffix("/Foo/Store/Store.skyros/"))
    }

    @Test func `S-011: has a name that is one directory`() throws {
        let long = String(repeating: "x", count: 256)
        for name in ["", ".", "..", "a/b", "a\0b", long] {
            let found = code { _ = try path(["HOME": "/home/ann"], of: name) }
            #expect(found == .invalidInput, "\(name)")
        }
    }
}
