import Foundation

Interruption.prepare()
exit(Tool.run(Array(CommandLine.arguments.dropFirst())))
