import type { Migration } from "../migrate.ts";

/** Endpoints that want events, and the way of each event to each of them. */
export const webhooks: Migration = {
  name: "0004-webhooks",
  statements: [
    `CREATE TABLE webhook_endpoints (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      description TEXT,
      secret TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
      paused_reason TEXT,
      failed_attempts INTEGER NOT NULL DEFAULT 0,
      failed_events INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    `CREATE INDEX webhook_endpoints_owner ON webhook_endpoints (owner_id, id)`,
    `CREATE TABLE webhook_deliveries (
      id TEXT PRIMARY KEY,
      endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
      event_id TEXT NOT NULL,
      type TEXT NOT NULL,
      body TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
      by_hand INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      failures INTEGER NOT NULL DEFAULT 0,
      response_status INTEGER,
      error TEXT,
      next_attempt_at INTEGER,
      created_at INTEGER NOT NULL,
      delivered_at INTEGER,
      CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
    )`,
    `CREATE INDEX webhook_deliveries_log ON webhook_deliveries (endpoint_id, id)`,
    `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
    `CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at)`,
  ],
};
