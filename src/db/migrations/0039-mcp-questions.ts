import type { Migration } from "../migrate.ts";

/** Questions to people at MCP clients, whose answers may reach any server (mcp, "Unlock codes"). */
export const mcpQuestions: Migration = {
  name: "0039-mcp-questions",
  statements: [
    `CREATE TABLE mcp_questions (
      id TEXT PRIMARY KEY,
      client_hash TEXT NOT NULL,
      answer TEXT,
      asked_at INTEGER NOT NULL
    )`,
    "CREATE INDEX mcp_questions_asked ON mcp_questions (asked_at)",
  ],
};
