import assert from "node:assert/strict";
import { test } from "node:test";
import { addressSubnet, isInNetworks, isLocalAddress, type Network, parseNetwork, subnet48 } from "../../src/net/networks.ts";

const networks = (...texts: string[]): Network[] =>
  texts.map((text) => {
    const network = parseNetwork(text);
    assert.ok(network, text);
    return network;
  });

/** request limits, "Who counts as one caller". */
test("parses a network with a prefix length or as one address", () => {
  for (const text of ["10.0.0.0/8", "192.0.2.7", "::1", "2001:db8::/32", "0.0.0.0/0"]) assert.ok(parseNetwork(text), text);
  for (const text of ["", "host", "10.0.0.0/33", "10.0.0.0/x", "1.2.3.4.5", "2001:db8::/129", "/8"])
    assert.equal(parseNetwork(text), undefined, text);
});

test("matches an address in any spelling", () => {
  const trusted = networks("10.0.0.0/8", "2001:db8::/32");
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8::1", "2001:0DB8:0000::1", "[2001:db8::1]"])
    assert.ok(isInNetworks(address, trusted), address);
  for (const address of ["11.1.2.3", "2001:db9::1", "::ffff:11.1.2.3", "", "junk"]) assert.ok(!isInNetworks(address, trusted), address);
});

test("IPv4 addresses count individually, and IPv6 addresses by their /64 and their /48", () => {
  assert.equal(addressSubnet("192.0.2.1"), "192.0.2.1");
  assert.equal(addressSubnet("::ffff:192.0.2.1"), "192.0.2.1");
  assert.equal(addressSubnet("2001:db8:1:2:3:4:5:6"), addressSubnet("2001:db8:1:2::"));
  assert.notEqual(addressSubnet("2001:db8:1:2::"), addressSubnet("2001:db8:1:3::"));
  assert.equal(subnet48("2001:db8:1:2::"), subnet48("2001:db8:1:3::"));
  assert.notEqual(subnet48("2001:db8:1::"), subnet48("2001:db8:2::"));
  assert.equal(subnet48("192.0.2.1"), undefined);
});

test("addresses of this machine and of private networks are local", () => {
  for (const address of [
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "172.16.3.4",
    "192.168.1.1",
    "fd00::1",
    "fe80::1",
    "::ffff:127.0.0.1",
    "100.64.0.1",
  ])
    assert.ok(isLocalAddress(address), address);
  for (const address of ["192.0.2.1", "8.8.8.8", "2606:4700::1", "", "junk"]) assert.ok(!isLocalAddress(address), address);
});
