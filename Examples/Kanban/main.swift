// A Kanban board in a terminal: commands come from the standard input, one a line.
//
//     kanban [STORE [USER]]

import Foundation
import Skyros

do {
    let arguments = CommandLine.arguments.dropFirst()
    let url = URL(filePath: arguments.first ?? "Kanban.skyros")
    let workspace = try Workspace(at: url, user: arguments.dropFirst().first ?? "me")
    let board =
        try workspace.store.first(Board.self)
        ?? workspace.addBoard("Home", columns: ["Todo", "Doing", "Done"])
    let commands = Commands(workspace: workspace, board: board)
    if let done = try workspace.columns(of: board).last {
        // On another thread: this one waits for input.
        Task.detached {
            for try await cards in workspace.liveCards(in: done) {
                print("(\(cards.count) in \(done.name))")
            }
        }
    }

    print(try commands.run("show"))
    while let line = readLine() {
        do {
            print(try commands.run(line))
        } catch let error as StoreError {
            print(error)  // for instance a full disk: the board is as it was
        }
    }
    try workspace.store.close()
} catch {
    print(error)
    exit(1)
}
