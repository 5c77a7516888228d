import type { Migration } from "../migrate.ts";

/** Programs without a browser that ask for consent, and the client that is built in for the command line (oauth, "Devices"). */
export const deviceCodes: Migration = {
  name: "0041-device-codes",
  statements: [
    `CREATE TABLE device_codes (
      id TEXT PRIMARY KEY,
      device_code TEXT NOT NULL UNIQUE,
      user_code TEXT NOT NULL UNIQUE,
      user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
      client_id TEXT NOT NULL REFERENCES oauth_clients (client_id) ON DELETE CASCADE,
      oauth_client_id TEXT NOT NULL,
      scope TEXT NOT NULL,
      resources TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied')),
      polling_interval INTEGER NOT NULL,
      last_polled_at INTEGER,
      expires_at INTEGER NOT NULL
    )`,
    "CREATE INDEX device_codes_user ON device_codes (user_id)",
    "CREATE INDEX device_codes_client ON device_codes (client_id)",
    "CREATE INDEX device_codes_expired ON device_codes (expires_at)",
    `INSERT INTO oauth_clients (id, client_id, name, redirect_uris, grant_types, token_endpoint_auth_method, created_at, used_at)
      VALUES ('filehost-cli', 'filehost-cli', 'filehost (command line)', '[]',
        '["urn:ietf:params:oauth:grant-type:device_code","refresh_token"]', 'none', 0, 0)`,
  ],
};
