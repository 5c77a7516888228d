/** The tables that MCP servers share, because a client's requests may reach any of them. */
export const mcp: readonly string[] = [
  // Sessions of guests (mcp, "Sessions").
  `CREATE TABLE mcp_sessions (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL UNIQUE,
      subject TEXT NOT NULL,
      subnet48 TEXT,
      key TEXT,
      used_at INTEGER NOT NULL
    )`,
  "CREATE INDEX mcp_sessions_used ON mcp_sessions (used_at)",
  "CREATE INDEX mcp_sessions_subject ON mcp_sessions (subject)",
  "CREATE INDEX mcp_sessions_subnet48 ON mcp_sessions (subnet48)",
  // Calls that were cancelled while they ran, on any server (mcp, "Cancelling").
  `CREATE TABLE mcp_cancellations (
      client_hash TEXT NOT NULL,
      request_id TEXT NOT NULL,
      cancelled_at INTEGER NOT NULL,
      PRIMARY KEY (client_hash, request_id)
    )`,
  "CREATE INDEX mcp_cancellations_time ON mcp_cancellations (cancelled_at)",
  // Questions to people, whose answers may reach any server (mcp, "Unlock codes").
  `CREATE TABLE mcp_questions (
      id TEXT PRIMARY KEY,
      client_hash TEXT NOT NULL,
      answer TEXT,
      asked_at INTEGER NOT NULL
    )`,
  "CREATE INDEX mcp_questions_asked ON mcp_questions (asked_at)",
];
