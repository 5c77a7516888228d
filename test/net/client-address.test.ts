import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientAddress } from "../../src/net/client-address.ts";
import { type Network, parseNetwork } from "../../src/net/networks.ts";

const trusted = ["127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48"].map((text): Network => {
  const network = parseNetwork(text);
  assert.ok(network, text);
  return network;
});

const from = (headers: Record<string, string>, peer = "127.0.0.1") => clientAddress(peer, new Headers(headers), trusted);
const ofForwardedFor = (value: string) => from({ "X-Forwarded-For": value });
const ofForwarded = (value: string) => from({ Forwarded: value });

/** accounts, "The client's address". */
describe("the client's address", () => {
  test("is the peer's if the peer is not trusted, whatever it forwards", () => {
    const headers = { "X-Forwarded-For": "192.0.2.1", Forwarded: "for=192.0.2.1" };
    assert.deepEqual(from(headers, "203.0.113.9"), { address: "203.0.113.9" });
    assert.deepEqual(from({}, "::ffff:203.0.113.9"), { address: "203.0.113.9" });
    assert.deepEqual(from({ "X-Forwarded-For": "unknown" }, "203.0.113.9"), { address: "203.0.113.9" });
  });

  test("is the rightmost one that no trusted proxy has", () => {
    assert.equal(ofForwardedFor("192.0.2.1").address, "192.0.2.1");
    assert.equal(from({ "X-Forwarded-For": "192.0.2.1" }, "::ffff:127.0.0.1").address, "192.0.2.1");
    assert.equal(ofForwardedFor("192.0.2.66, 192.0.2.1 , 10.0.0.5").address, "192.0.2.1");
    assert.equal(ofForwardedFor("192.0.2.66, 192.0.2.1:99, 10.0.0.5:80, [2001:db8:ffff::1]:443").address, "192.0.2.1");
    assert.equal(ofForwardedFor("10.0.0.7, 10.0.0.5").address, "10.0.0.7");
    assert.equal(ofForwarded("for=192.0.2.66, for=192.0.2.1, for=10.0.0.5").address, "192.0.2.1");
  });

  test("is read in each form that proxies write", () => {
    for (const [hop, address] of [
      ["9.9.9.2:1000", "9.9.9.2"],
      ["[2001:db8::1]:443", "2001:db8::1"],
      ["[2001:db8::1]", "2001:db8::1"],
      ["2001:DB8:0::1", "2001:db8::1"],
      ["::ffff:9.9.9.2", "9.9.9.2"],
      ["::ffff:9.9.9.2:1000", "9.9.9.2"],
      ["[::ffff:9.9.9.2]:1000", "9.9.9.2"],
      ["fe80::1%eth0", "fe80::1"],
      ["[fe80::1%eth0]:443", "fe80::1"],
      ['"9.9.9.2:1000"', "9.9.9.2"],
      ['"[2001:db8::1]:443"', "2001:db8::1"],
    ] as const) {
      assert.deepEqual(ofForwardedFor(hop), { address }, hop);
      const isToken = /^[\w.]+$/.test(hop) || hop.startsWith('"');
      assert.deepEqual(ofForwarded(`for=${isToken ? hop : `"${hop}"`}`), { address }, hop);
      assert.deepEqual(ofForwarded(`by=_x; proto=https ;For=${hop};host=files.example`), { address }, hop);
    }
    assert.equal(ofForwarded('for="9.9.9.2:_port-1"').address, "9.9.9.2");
    assert.equal(ofForwarded('host="a, b; \\"c\\"";for=9.9.9.2').address, "9.9.9.2");
    assert.equal(ofForwarded('for="9.9.\\9.2"').address, "9.9.9.2");
    assert.equal(from({}, "fe80::1%eth0").address, "fe80::1");
  });

  test("is the nearest known proxy's if a hop is not an address, and the hop is reported", () => {
    for (const hop of [
      "unknown",
      "_hidden",
      "12345",
      "127.1",
      "0x7f.0.0.1",
      "9.9.9.2.3",
      "999.9.9.2",
      "[9.9.9.2",
      "host.example:80",
      ":",
      "::g",
    ])
      assert.deepEqual(ofForwardedFor(`192.0.2.1, ${hop}, 10.0.0.5`), { address: "10.0.0.5", unreadable: hop }, hop);
    assert.deepEqual(ofForwardedFor("192.0.2.1, , 10.0.0.5"), { address: "10.0.0.5", unreadable: "" });
    assert.deepEqual(ofForwardedFor("unknown, 192.0.2.1"), { address: "192.0.2.1" });
    assert.deepEqual(ofForwarded("for=192.0.2.1, for=unknown"), { address: "127.0.0.1", unreadable: "unknown" });
    assert.deepEqual(ofForwarded("for=192.0.2.1, proto=https"), { address: "127.0.0.1", unreadable: "" });
  });

  test("is the peer's without a header that names one", () => {
    for (const headers of [{}, { "X-Forwarded-For": "" }, { Forwarded: "" }, { Forwarded: "proto=https;host=files.example" }])
      assert.deepEqual(from(headers as Record<string, string>), { address: "127.0.0.1" });
  });

  test("cannot be forged by a client in a header that its proxy extends", () => {
    for (const sent of [
      'for=1.1.1.1;x="',
      'for="1.1.1.1',
      "for=1.1.1.1;",
      "for=1.1.1.1;for=1.1.1.1",
      'for=1.1.1.1;x="\\',
      'for=1.1.1.1;x=","',
      "for=1.1.1.1 x",
    ])
      for (const added of [
        "for=2.2.2.2",
        'for="[2001:db8::2]:443"',
        'for=2.2.2.2;host="a"',
        'host="";for=2.2.2.2',
        "For=2.2.2.2;proto=http",
      ])
        assert.notEqual(ofForwarded(`${sent}, ${added}`).address, "1.1.1.1", `${sent}, ${added}`);
  });

  test("is the peer's if both headers are sent and differ: one of them is the client's", () => {
    assert.deepEqual(from({ "X-Forwarded-For": "192.0.2.1", Forwarded: "for=192.0.2.2" }), { address: "127.0.0.1" });
    assert.deepEqual(from({ "X-Forwarded-For": "192.0.2.1", Forwarded: 'for="' }), { address: "127.0.0.1" });
    assert.deepEqual(from({ "X-Forwarded-For": "192.0.2.1:80", Forwarded: 'for="192.0.2.1:99"' }), { address: "192.0.2.1" });
    assert.deepEqual(from({ "X-Forwarded-For": "192.0.2.1", Forwarded: "proto=https" }), { address: "192.0.2.1" });
  });
});
