import Foundation

Interruption.endIfInterrupted()
Interruption.prepare()
exit(Tool.run(Array(CommandLine.arguments.dropFirst())))
