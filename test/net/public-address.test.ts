import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNetwork } from "../../src/net/networks.ts";
import { isAllowedAddress, isPublicAddress } from "../../src/net/public-address.ts";

const NOT_PUBLIC = [
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1"],
  ...["172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255"],
  ...["198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16"],
  ...["::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1"],
  ...["64:ff9b::169.254.169.254", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:2::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::"],
  ...["3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1"],
  ...["", "localhost", "1", "127.1.example"],
];

/** imports, "Which URLs". */
test("the check accepts only addresses of the public internet", () => {
  assert.deepEqual(NOT_PUBLIC.filter(isPublicAddress), []);
  const isPublic = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"];
  assert.deepEqual(
    isPublic.filter((address) => !isPublicAddress(address)),
    [],
  );
});

test("connects to private networks only if the administrator allows them", () => {
  const allowed = ["10.1.0.0/16", "fd00:1::/32"].map((text) => parseNetwork(text) ?? assert.fail(text));
  assert.deepEqual(
    ["10.1.2.3", "::ffff:10.1.2.3", "fd00:1::5", "10.2.0.1", "fd00:2::5", "127.0.0.1"].map((address) => isAllowedAddress(address, allowed)),
    [true, true, true, false, false, false],
  );
});
