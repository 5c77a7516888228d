import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { describe, it } from "node:test";
import { ConnectionError, proxyOf } from "../../../src/client/server/connection-error.ts";
import { requestOnce } from "../../../src/client/server/send.ts";

async function listen(onConnection: Parameters<typeof createServer>[1]): Promise<Server & { readonly port: number }> {
  const server = createServer(onConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

/** command line, "Network". */
describe("an error of the network", () => {
  async function assertSays(url: string, expected: RegExp): Promise<void> {
    await assert.rejects(requestOnce(new URL(url)), (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.exitCode, 8);
      assert.match(error.message, expected);
      return true;
    });
  }

  it("says that the connection was refused, with the port only if it is not the default", async () => {
    await assertSays(
      "http://127.0.0.1:1",
      /^No response from the server at http:\/\/127\.0\.0\.1:1: the connection was refused \(ECONNREFUSED\)\. Check the address and the port, /,
    );
  });

  it("says that no machine has the name", async () => {
    await assertSays("http://nothing.invalid", /no machine has that name \(E\w+\)\. Check its spelling|cannot be looked up/);
  });

  it("says that the server speaks no TLS", async () => {
    using server = Object.assign(await listen((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n")), {
      [Symbol.dispose]: () => server.close(),
    });
    await assertSays(`https://127.0.0.1:${server.port}`, /does not speak TLS on this port \(EPROTO\)\. .*http:\/\//);
  });

  it("says that the connection was closed", async () => {
    using server = Object.assign(await listen((socket) => socket.once("data", () => socket.end())), {
      [Symbol.dispose]: () => server.close(),
    });
    await assertSays(`http://127.0.0.1:${server.port}`, /the connection was closed \(ECONNRESET\)\. Try again/);
  });

  it("has a reason for every code of a certificate, and for unknown codes", () => {
    const says = (code: string): string =>
      new ConnectionError(new URL("https://files.example.org"), Object.assign(new Error(), { code })).message;
    assert.match(says("CERT_HAS_EXPIRED"), /has expired \(CERT_HAS_EXPIRED\)\. Ask its administrator/);
    assert.match(says("ERR_TLS_CERT_ALTNAME_INVALID"), /is for another name/);
    assert.match(says("DEPTH_ZERO_SELF_SIGNED_CERT"), /NODE_EXTRA_CA_CERTS/);
    assert.match(says("EHOSTUNREACH"), /no route/);
    assert.match(says("ECONNREFUSED"), /Check the address, and that/);
    assert.match(says("ESOMETHING"), /the connection failed \(ESOMETHING\)\. Check/);
  });

  it("finds the proxy of a request, without its password", () => {
    const site = new URL("https://files.example.org:8443/api");
    const proxy = { HTTPS_PROXY: "http://ada:secret@proxy.example.org:3128", HTTP_PROXY: "http://other.example.org" };
    assert.deepEqual(proxyOf(site, proxy), { variable: "HTTPS_PROXY", host: "proxy.example.org:3128" });
    assert.deepEqual(proxyOf(new URL("http://files.example.org"), proxy), { variable: "HTTP_PROXY", host: "other.example.org" });
    assert.deepEqual(proxyOf(site, { ALL_PROXY: "http://any.example.org" }), { variable: "ALL_PROXY", host: "any.example.org" });
    for (const NO_PROXY of ["*", "example.org", ".example.org", "*.example.org", "a.invalid, files.example.org", "files.example.org:8443"])
      assert.equal(proxyOf(site, { ...proxy, NO_PROXY }), undefined, NO_PROXY);
    for (const NO_PROXY of ["", "ample.org", "example.com"]) assert.ok(proxyOf(site, { ...proxy, NO_PROXY }), NO_PROXY);
    assert.equal(proxyOf(site, {}), undefined);
  });
});
