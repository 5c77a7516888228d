import { startServer, type TestServer } from "../../support/server.ts";

/** Starts a server without a scanner and request rate limits, for tests of other features. */
export const startPlainServer = (env: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
  startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "off", ...env } });
