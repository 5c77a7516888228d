import type { Migration } from "../migrate.ts";

/** Sign-ins at an OpenID Connect provider that have begun (accounts, "OpenID Connect"). */
export const providerFlows: Migration = {
  name: "0018-provider-flows",
  statements: [
    `CREATE TABLE provider_flows (
      id TEXT PRIMARY KEY,
      purpose TEXT NOT NULL CHECK (purpose IN ('sign-in', 'connect', 'prove')),
      session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
      invite_hash TEXT,
      next TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    `CREATE INDEX provider_flows_session ON provider_flows (session_id)`,
    `CREATE INDEX provider_flows_expired ON provider_flows (expires_at)`,
  ],
};
