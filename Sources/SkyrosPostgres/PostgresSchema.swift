#if Postgres
    import SkyrosLog

    /// The tables of a store, in a schema of the database.
    struct PostgresSchema: Sendable {
        /// The version of the tables. Another one is refused.
        static let version: Int64 = 2

        /// The name as it is.
        let unquotedName: String
        /// The name, quoted for SQL.
        let name: String
        /// The channel of notifications.
        let channel: String

        /// - Throws: `LogError` with `.io` if the name is empty, or longer than PostgreSQL takes.
        init(_ name: String) throws(LogError) {
            // NAMEDATALEN of PostgreSQL is 64.
            guard !name.isEmpty, name.utf8.count <= 48, !name.utf8.contains(0) else {
                throw LogError(
                    .io, "\"\(name)\" is no name for a schema; it takes 1 to 48 bytes")
            }
            unquotedName = name
            self.name = Self.quoted(name)
            channel = "skyros \(name)"
        }

        private static func quoted(_ name: String) -> String {
            // Unicode scalars, because a quote and a combining mark are a single Character.
            let parts = name.unicodeScalars
                .split(separator: "\"", omittingEmptySubsequences: false)
            return "\"\(parts.map { String($0) }.joined(separator: "\"\""))\""
        }

        /// Makes the tables. They must not be there: another program's would have other rows.
        ///
        /// `event` has the newest batches, and never loses its last row; `frame` the others, as
        /// compressed parts; `log` one row, which says what this is. `event` has no CHECK: each
        /// INSERT would parse it again. `origin` is a random number of the append that has brought
        /// the row.
        var creation: String {
            """
            CREATE SCHEMA IF NOT EXISTS \(name);
            CREATE TABLE \(name).log (
                one boolean PRIMARY KEY DEFAULT true CHECK (one),
                version bigint NOT NULL,
                store bytea NOT NULL,
                created timestamptz NOT NULL DEFAULT now());
            CREATE TABLE \(name).event (
                sequence bigint PRIMARY KEY,
                chain bigint NOT NULL,
                event bytea NOT NULL,
                origin bigint NOT NULL);
            ALTER TABLE \(name).event ALTER COLUMN event SET STORAGE EXTERNAL;
            CREATE TABLE \(name).frame (
                first bigint PRIMARY KEY CHECK (first > 0),
                last bigint NOT NULL CHECK (last >= first),
                chain_before bigint NOT NULL,
                chain_after bigint NOT NULL,
                zstd bytea NOT NULL);
            ALTER TABLE \(name).frame ALTER COLUMN zstd SET STORAGE EXTERNAL;
            CREATE TABLE \(name).subscription (
                name text PRIMARY KEY,
                sequence bigint NOT NULL CHECK (sequence >= 0),
                chain bigint NOT NULL,
                keeps_history boolean NOT NULL);
            """
        }

        /// Appends batches after a head: the first number, chain hashes, batches, the chain hash
        /// before, the origin.
        ///
        /// Only who sees the last number can append the next one, so there are no holes; the
        /// primary key lets one of two through.
        var append: String {
            """
            INSERT INTO \(name).event (sequence, chain, event, origin)
            SELECT $1::bigint + number - 1, chain, event, $5::bigint
            FROM unnest($2::bigint[], $3::bytea[])
                WITH ORDINALITY AS batch (chain, event, number)
            WHERE coalesce(
                (SELECT (sequence, chain) = ($1::bigint - 1, $4::bigint)
                    FROM \(name).event ORDER BY sequence DESC LIMIT 1),
                $1::bigint = 1 AND NOT EXISTS (SELECT FROM \(name).frame))
            """
        }

        /// Notifies those that listen of a head that the quorum has: the channel, the head.
        ///
        /// Nothing waits for this commit. A notification in the transaction that appends would hold
        /// the one lock of all notifications of the server while it waits for the quorum.
        var announcement: String {
            "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1::text, $2::text)"
        }

        /// Puts a frame in the place of the rows of its batches: the first and the last number, the
        /// chain hashes before and after, the frame.
        ///
        /// The last row of all stays: an empty table would take the number 1 again.
        var seal: String {
            """
            WITH made AS (
                INSERT INTO \(name).frame (first, last, chain_before, chain_after, zstd)
                SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bytea
                WHERE coalesce(\(sealedThrough), 0) = $1::bigint - 1
                    AND (SELECT chain FROM \(name).event WHERE sequence = $2::bigint) = $4::bigint
                RETURNING first, last),
            removed AS (
                DELETE FROM \(name).event USING made
                WHERE sequence BETWEEN made.first AND made.last
                    AND sequence < (SELECT max(sequence) FROM \(name).event)
                RETURNING 1)
            SELECT (SELECT count(*) FROM made), (SELECT count(*) FROM removed)
            """
        }

        /// The last batch that is compressed. Frames follow one another, and the index is by their
        /// first batches.
        private var sealedThrough: String {
            "(SELECT last FROM \(name).frame ORDER BY first DESC LIMIT 1)"
        }

        var frame: String {
            """
            SELECT first, last, chain_before, chain_after, zstd
            FROM (
                SELECT * FROM \(name).frame
                WHERE first <= $1::bigint ORDER BY first DESC LIMIT 1
            ) AS nearest
            WHERE last >= $1::bigint
            """
        }

        var time: String { "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint" }

        var positions: String {
            "SELECT name, sequence, chain, keeps_history FROM \(name).subscription"
        }

        /// Keeps a position: the name, the last number, the chain hash, whether history is kept.
        var savePosition: String {
            """
            INSERT INTO \(name).subscription
            VALUES ($1::text, $2::bigint, $3::bigint, $4::bigint = 1)
            ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence, chain = excluded.chain,
                keeps_history = excluded.keeps_history
            """
        }

        var removePosition: String { "DELETE FROM \(name).subscription WHERE name = $1::text" }

        /// A transaction that has to be replicated and changes nothing: one that has written a
        /// logical message waits for the quorum as any other.
        var barrier: String { "SELECT pg_logical_emit_message(true, 'skyros', '')" }

        /// Whether a schema, by its unquoted name, has the table that says what this is.
        ///
        /// `to_regclass` would not do: a session that found none remembers that, and may not have
        /// heard of one that was committed while it waited for a lock.
        var existence: String {
            """
            SELECT EXISTS (
                SELECT FROM pg_catalog.pg_class AS relation
                JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = relation.relnamespace
                WHERE namespace.nspname = $1::text AND relation.relname = 'log')
            """
        }

        /// The version, whatever else there is in it.
        var logVersion: String { "SELECT version FROM \(name).log" }

        var state: String {
            """
            SELECT log.version, log.store, event.sequence, event.chain,
                (SELECT min(first) FROM \(name).frame), (SELECT min(sequence) FROM \(name).event),
                \(sealedThrough)
            FROM \(name).log AS log
            LEFT JOIN LATERAL (
                SELECT sequence, chain FROM \(name).event ORDER BY sequence DESC LIMIT 1
            ) AS event ON true
            """
        }

        /// Takes the turn to write, for the session, if no other one has it. A server that restarts
        /// or is replaced forgets it.
        var takeTurn: String { "SELECT pg_try_advisory_lock(\(turnKey))" }

        /// Who has the turn: the name of the node, a name of the session, and whether it is this
        /// session.
        var turn: String {
            """
            SELECT coalesce(activity.application_name, ''),
                activity.pid || ' ' || coalesce(
                    extract(epoch FROM activity.backend_start)::text, ''),
                activity.pid = pg_backend_pid()
            FROM pg_locks AS lock JOIN pg_stat_activity AS activity USING (pid)
            WHERE lock.locktype = 'advisory' AND lock.granted AND lock.objsubid = 1
                AND lock.database = (
                    SELECT oid FROM pg_database WHERE datname = current_database())
                AND (lock.classid::bigint << 32) | lock.objid::bigint = \(turnKey)
            """
        }

        private var turnKey: String { "hashtextextended($1::text, 0)" }

        var listen: String { "LISTEN \(Self.quoted(channel))" }

        var unlisten: String { "UNLISTEN \(Self.quoted(channel))" }

        /// The chain hash through a batch that is not compressed, and its origin.
        var chainHash: String {
            "SELECT chain, origin FROM \(name).event WHERE sequence = $1::bigint"
        }

        /// The batches from a number on, at most 10,000: the first one, and as many as fit into a
        /// number of bytes with it.
        var batches: String {
            """
            SELECT sequence, chain, event
            FROM (
                SELECT sequence, chain, event, row_number() OVER through AS number,
                    sum(octet_length(event)) OVER through AS bytes
                FROM (
                    SELECT * FROM \(name).event
                    WHERE sequence >= $1::bigint ORDER BY sequence LIMIT 10000
                ) AS next
                WINDOW through AS (ORDER BY sequence)
            ) AS counted
            WHERE number = 1 OR bytes <= $2::bigint ORDER BY sequence
            """
        }
    }
#endif
