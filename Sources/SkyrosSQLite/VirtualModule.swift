import CSQLite

/// The virtual tables of a connection, which SQLite knows as the tables of one module.
package final class VirtualModule {
    fileprivate let tables: [[UInt8]: any VirtualTable]
    /// What a table or a cursor threw; SQLite only knows that there was an error.
    package private(set) var failure: (any Error)?

    static let name = "skyros"

    /// The names compare as bytes, as Swift's strings are equal where SQLite's names differ.
    private init(_ tables: [(name: String, table: any VirtualTable)]) {
        let pairs = tables.map { (Array($0.name.utf8), $0.table) }
        self.tables = Dictionary(pairs) { first, _ in first }
    }

    /// Creates the tables in a database in memory.
    package static func create(
        _ tables: [(name: String, table: any VirtualTable)], on connection: Connection
    ) throws(SQLiteError) -> VirtualModule {
        let module = VirtualModule(tables)
        let code = sqlite3_create_module_v2(
            try connection.openHandle(), name, methods, Unmanaged.passRetained(module).toOpaque()
        ) { module in
            // Also called if the module cannot be created.
            module.map { Unmanaged<VirtualModule>.fromOpaque($0).release() }
        }
        guard code == SQLITE_OK else { throw connection.error(at: .path(connection.path)) }
        for (table, _) in tables {
            let quoted = table.unicodeScalars.reduce(into: "".unicodeScalars) { text, scalar in
                if scalar == "\"" { text.append(scalar) }
                text.append(scalar)
            }
            try connection.execute("CREATE VIRTUAL TABLE \"\(String(quoted))\" USING \(name)")
        }
        return module
    }

    /// Runs `body`, and keeps what it throws.
    fileprivate func run(_ body: () throws -> Void) -> Int32 {
        do {
            try body()
            return SQLITE_OK
        } catch {
            if failure == nil { failure = error }
            return SQLITE_ERROR
        }
    }
}

// SQLite allocates neither tables nor cursors: each is a C structure and, after it, the address of
// a Swift object, which the structure retains.

private final class TableBox {
    let table: any VirtualTable
    let module: VirtualModule

    init(_ table: any VirtualTable, _ module: VirtualModule) {
        self.table = table
        self.module = module
    }
}

private final class CursorBox {
    let cursor: any VirtualCursor
    let module: VirtualModule

    init(_ cursor: any VirtualCursor, _ module: VirtualModule) {
        self.cursor = cursor
        self.module = module
    }
}

private enum Slot {
    static func make<Head, Box: AnyObject>(_ head: Head, _ box: Box) -> UnsafeMutablePointer<Head> {
        let offset = MemoryLayout<Head>.stride
        let slot = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<UnsafeRawPointer>.size, alignment: 16)
        slot.storeBytes(
            of: UnsafeRawPointer(Unmanaged.passRetained(box).toOpaque()), toByteOffset: offset,
            as: UnsafeRawPointer.self)
        let start = slot.bindMemory(to: Head.self, capacity: 1)
        start.initialize(to: head)
        return start
    }

    private static func reference<Head, Box: AnyObject>(
        _ slot: UnsafeMutablePointer<Head>, _: Box.Type
    ) -> Unmanaged<Box> {
        Unmanaged.fromOpaque(
            UnsafeRawPointer(slot).load(
                fromByteOffset: MemoryLayout<Head>.stride, as: UnsafeRawPointer.self))
    }

    static func table(_ slot: UnsafeMutablePointer<sqlite3_vtab>?) -> TableBox {
        guard let slot else { preconditionFailure("SQLite used a table that does not exist") }
        return reference(slot, TableBox.self).takeUnretainedValue()
    }

    static func cursor(_ slot: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CursorBox {
        guard let slot else { preconditionFailure("SQLite used a cursor that does not exist") }
        return reference(slot, CursorBox.self).takeUnretainedValue()
    }

    static func free(_ slot: UnsafeMutablePointer<sqlite3_vtab>?) {
        guard let slot else { return }
        sqlite3_free(slot.pointee.zErrMsg)
        reference(slot, TableBox.self).release()
        UnsafeMutableRawPointer(slot).deallocate()
    }

    static func free(_ slot: UnsafeMutablePointer<sqlite3_vtab_cursor>?) {
        guard let slot else { return }
        reference(slot, CursorBox.self).release()
        UnsafeMutableRawPointer(slot).deallocate()
    }
}

extension VirtualModule {
    // Safe although a mutable pointer: it is filled here and never changes afterwards.
    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_module> = {
        let methods = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var module = sqlite3_module()
        module.iVersion = 1
        fillTables(&module)
        fillCursors(&module)
        methods.initialize(to: module)
        return methods
    }()

    private static func fillTables(_ module: inout sqlite3_module) {
        module.xCreate = { database, module, count, words, slot, _ in
            VirtualModule.connect(database, module, count, words, slot)
        }
        module.xConnect = module.xCreate
        module.xDisconnect = { slot in
            Slot.free(slot)
            return SQLITE_OK
        }
        module.xDestroy = module.xDisconnect
        module.xBestIndex = { slot, information in
            guard let information else { return SQLITE_MISUSE }
            return VirtualModule.plan(Slot.table(slot).table, information)
        }
    }

    private static func fillCursors(_ module: inout sqlite3_module) {
        module.xOpen = { slot, cursor in
            let box = Slot.table(slot)
            let made = CursorBox(box.table.makeCursor(), box.module)
            cursor?.pointee = Slot.make(sqlite3_vtab_cursor(), made)
            return SQLITE_OK
        }
        module.xClose = { slot in
            Slot.free(slot)
            return SQLITE_OK
        }
        module.xFilter = { slot, plan, _, count, values in
            let box = Slot.cursor(slot)
            let values = (0..<Int(count)).map { VirtualValue(values?[$0]) }
            return box.module.run { try box.cursor.start(plan, values) }
        }
        module.xNext = { slot in
            let box = Slot.cursor(slot)
            return box.module.run { try box.cursor.advance() }
        }
        module.xEof = { slot in Slot.cursor(slot).cursor.isAtEnd ? 1 : 0 }
        module.xColumn = { slot, context, column in
            let box = Slot.cursor(slot)
            return box.module.run {
                try box.cursor.value(of: Int(column), to: VirtualResult(context: context))
            }
        }
        module.xRowid = { slot, number in
            number?.pointee = Slot.cursor(slot).cursor.rowNumber
            return SQLITE_OK
        }
    }

    private static func connect(
        _ database: OpaquePointer?, _ module: UnsafeMutableRawPointer?, _ count: Int32,
        _ words: UnsafePointer<UnsafePointer<CChar>?>?,
        _ slot: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
    ) -> Int32 {
        // The words are the names of the module, of the database and of the table.
        guard let module, count >= 3, let name = words?[2] else { return SQLITE_MISUSE }
        let owner = Unmanaged<VirtualModule>.fromOpaque(module).takeUnretainedValue()
        let key = Array(String(cString: name).utf8)
        guard let table = owner.tables[key] else { return SQLITE_ERROR }
        let code = sqlite3_declare_vtab(database, "CREATE TABLE x(\(table.columns))")
        guard code == SQLITE_OK else { return code }
        slot?.pointee = Slot.make(sqlite3_vtab(), TableBox(table, owner))
        return SQLITE_OK
    }

    private static func plan(
        _ table: any VirtualTable, _ information: UnsafeMutablePointer<sqlite3_index_info>
    ) -> Int32 {
        let count = Int(information.pointee.nConstraint)
        // The places of the constraints that can be used, among all.
        var places: [Int] = []
        var constraints: [VirtualConstraint] = []
        for place in 0..<count {
            let constraint = information.pointee.aConstraint[place]
            guard constraint.usable != 0 else { continue }
            let collation = sqlite3_vtab_collation(information, Int32(place))
            places.append(place)
            constraints.append(
                VirtualConstraint(
                    column: Int(constraint.iColumn),
                    operator: VirtualConstraint.Operator(Int32(constraint.op)),
                    isBinary: collation.map { String(cString: $0) == "BINARY" } ?? false))
        }
        let plan = table.plan(constraints)
        for (position, index) in plan.constraints.enumerated() {
            information.pointee.aConstraintUsage[places[index]].argvIndex = Int32(position) + 1
        }
        information.pointee.idxNum = plan.number
        information.pointee.estimatedCost = plan.cost
        information.pointee.estimatedRows = Int64(plan.rowCount)
        return SQLITE_OK
    }
}

extension VirtualConstraint.Operator {
    fileprivate init?(_ code: Int32) {
        switch code {
        case SQLITE_INDEX_CONSTRAINT_EQ: self = .equal
        case SQLITE_INDEX_CONSTRAINT_GT: self = .greater
        case SQLITE_INDEX_CONSTRAINT_GE: self = .greaterOrEqual
        case SQLITE_INDEX_CONSTRAINT_LT: self = .less
        case SQLITE_INDEX_CONSTRAINT_LE: self = .lessOrEqual
        default: return nil
        }
    }
}
