import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import { after, before, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { AppError } from "../../src/errors.ts";
import { parseNetwork } from "../../src/net/networks.ts";
import { createSafeFetch, type SafeFetchOptions } from "../../src/net/safe-fetch.ts";
import { makeAuthority, opensslMissing, type TestAuthority } from "../support/services/webhook-receiver.ts";
import { describeUnless } from "../support/suite.ts";

/** imports, "Which URLs". */
describeUnless(opensslMissing, "fetching over TLS", () => {
  let authority: TestAuthority;
  let port = 0;
  const names: (string | false | null | undefined)[] = [];
  let server: Server;

  before(async () => {
    authority = await makeAuthority();
    server = createServer({ key: authority.key, cert: authority.cert }, (request, response) => {
      names.push((request.socket as TLSSocket).servername);
      response.end("secure");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await authority[Symbol.asyncDispose]();
  });

  async function read(host: string, options: Partial<SafeFetchOptions> = {}): Promise<string> {
    const allowedNetworks = [parseNetwork("127.0.0.0/8") ?? assert.fail()];
    await using fetch = createSafeFetch({ allowedNetworks, ca: [authority.ca], resolve: async () => ["127.0.0.1"], ...options });
    const { body } = await fetch({ url: `https://${host}:${port}/` });
    return Buffer.concat(await Array.fromAsync(body)).toString();
  }

  const unreachable = (error: unknown): boolean =>
    error instanceof AppError && error.code === "REMOTE_UNREACHABLE" && /certificate/.test(error.message);

  test("verifies the certificate against the requested name or address", async () => {
    assert.equal(await read("localhost"), "secure");
    assert.equal(await read("localhost."), "secure");
    assert.equal(await read("127.0.0.1"), "secure");
    assert.equal(names[0], "localhost");
    await assert.rejects(read("other.example"), unreachable);
  });

  test("does not trust an unknown certificate authority", async () => {
    await assert.rejects(read("localhost", { ca: undefined }), unreachable);
  });

  test("refuses a disallowed address before the TLS handshake", async () => {
    const seen = names.length;
    await assert.rejects(
      read("localhost", { allowedNetworks: [] }),
      (error) => error instanceof AppError && error.code === "URL_NOT_ALLOWED",
    );
    assert.equal(names.length, seen);
  });
});
