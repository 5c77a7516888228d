import { startServer, type TestServer } from "../../support/server.ts";

/** A server for tests that are about something else than the scanner and the request rate: neither gets in their way. */
export const startPlainServer = (env: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
  startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "off", ...env } });
