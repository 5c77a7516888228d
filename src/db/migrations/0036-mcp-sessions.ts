import type { Migration } from "../migrate.ts";

/** Sessions of guests of MCP, whose requests may reach any server (mcp, "Sessions"). */
export const mcpSessions: Migration = {
  name: "0036-mcp-sessions",
  statements: [
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
  ],
};
