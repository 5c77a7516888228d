import type { Migration } from "../migrate.ts";

/** Calls of MCP clients that were cancelled while they ran, on any server (mcp, "Cancelling"). */
export const mcpCancellations: Migration = {
  name: "0038-mcp-cancellations",
  statements: [
    `CREATE TABLE mcp_cancellations (
      client_hash TEXT NOT NULL,
      request_id TEXT NOT NULL,
      cancelled_at INTEGER NOT NULL,
      PRIMARY KEY (client_hash, request_id)
    )`,
    "CREATE INDEX mcp_cancellations_time ON mcp_cancellations (cancelled_at)",
  ],
};
