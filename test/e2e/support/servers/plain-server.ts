import { reservePort } from "../../../support/network/free-ports.ts";
import { startServer, type TestServer } from "../../../support/server.ts";

/** Starts a server without a scanner and request rate limits, for tests of other features. */
export const startPlainServer = (env: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
  startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "off", ...env } });

/** Starts a server at a port that it keeps across restarts. Its URL, by the address of the port, is configured. */
export async function startServerAtPort(env: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const listen = `127.0.0.1:${await reservePort()}`;
  return await startPlainServer({ FILEHOST_LISTEN: listen, FILEHOST_URL: `http://${listen}`, ...env });
}
