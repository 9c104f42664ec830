/// Ends the write block of an undo that does not know all of its events: one with its correlation
/// was written meanwhile. The undo begins anew.
struct StaleUndo: Error {}
