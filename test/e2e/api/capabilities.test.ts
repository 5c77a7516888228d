import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../../support/server.ts";
import { clientOf } from "../support/api/api.ts";

const GB = 1024 ** 3;

/** agents, "Capabilities"; limits, "Tiers" and "Rates"; addresses, "Base addresses"; mcp, "The endpoint". */
test("capabilities list the documented limits by default", async () => {
  await using server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "on" } });
  const capabilities = await clientOf(server).call("getCapabilities", {});
  const wanted = [
    "service",
    "version",
    "apiBaseUrl",
    "siteUrl",
    "mcpUrl",
    "guestMcpUrl",
    "limits",
    "features",
    "trustLevels",
    "rateLimits",
    "partSizes",
    "links",
  ];
  assert.deepEqual(Object.keys(capabilities), wanted);
  const port = new URL(server.url).port;
  assert.deepEqual(
    [capabilities.siteUrl, capabilities.apiBaseUrl],
    ["", "/api"].map((path) => `http://localhost:${port}${path}`),
  );
  const { anonymous, free, pro } = capabilities.limits;
  assert.deepEqual(
    [anonymous, free, pro].map((tier) => [tier.fileBytes, tier.storageBytes, tier.storageMaxBytes]),
    [
      [GB, GB, GB],
      [5 * GB, 10 * GB, 10 * GB],
      [35 * GB, 100 * GB, 1024 * GB],
    ],
  );
  assert.equal(capabilities.limits.anonymous.maxTtlSeconds, 3 * 86_400);
  assert.deepEqual(capabilities.rateLimits.registrations, { limit: 5, windowSeconds: 3600, enforced: true });
  assert.deepEqual(capabilities.rateLimits.challenges, { limit: 20, windowSeconds: 3600, enforced: true });
  assert.deepEqual(capabilities.rateLimits.free, { limit: 100, windowSeconds: 60, enforced: true });
  assert.equal(capabilities.rateLimits.pro?.limit, 1000);
  assert.deepEqual(
    capabilities.trustLevels.map(({ name }) => name),
    ["anonymous", "bootstrap", "free", "premium"],
  );
  assert.deepEqual(
    [capabilities.features.anonymousUploads, capabilities.features.agentRegistration, capabilities.features.scanner],
    [true, true, "off"],
  );
  assert.deepEqual([capabilities.features.mcp, capabilities.features.pricedShares], [true, false]);
  for (const link of Object.values(capabilities.links))
    assert.equal((await fetch(link.replace("localhost", "127.0.0.1"))).status, 200, link);
});

test("capabilities and llms.txt reflect the configuration", async () => {
  const env = {
    FILEHOST_SCANNER: "off",
    FILEHOST_URL: "https://files.example.org",
    FILEHOST_BASE_URL: "https://api.example.org/v1",
    FILEHOST_MCP_URL: "https://mcp.example.org",
    FILEHOST_ANONYMOUS: "off",
    FILEHOST_RATE_LIMITS: "off",
    FILEHOST_LIMITS: JSON.stringify({
      tiers: { free: { fileBytes: "2GB", retention: "2d" } },
      rates: { registrations: 7 },
      bootstrapPoolBytes: "50GB",
    }),
  };
  await using server = await startServer({ env });
  const capabilities = await clientOf(server).call("getCapabilities", {});
  assert.deepEqual(
    [capabilities.apiBaseUrl, capabilities.mcpUrl, capabilities.guestMcpUrl],
    ["https://api.example.org/v1", "https://mcp.example.org/mcp", "https://mcp.example.org/mcp/guest"],
  );
  assert.deepEqual(capabilities.links, {
    llmsTxt: "https://files.example.org/llms.txt",
    openapi: "https://files.example.org/agent-openapi.json",
    docs: "https://files.example.org/docs",
  });
  assert.deepEqual(
    [capabilities.limits.free.fileBytes, capabilities.limits.free.maxTtlSeconds, capabilities.limits.bootstrapPoolBytes],
    [2 * GB, 2 * 86_400, 50 * GB],
  );
  assert.equal(capabilities.features.anonymousUploads, false);
  assert.deepEqual([capabilities.rateLimits.registrations?.limit, capabilities.rateLimits.registrations?.enforced], [7, true]);
  assert.deepEqual([capabilities.rateLimits.free?.enforced, capabilities.rateLimits.mcpGuests?.enforced], [false, false]);

  for (const path of ["/llms.txt", "/api/llms.txt", "/v1/llms.txt"]) {
    const response = await fetch(server.url + path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
    const text = await response.text();
    assert.match(text, /^# filehost\n\n> /);
    for (const part of [
      "https://api.example.org/v1/agent/register",
      "https://files.example.org/agent-openapi.json",
      "2 GB",
      "7 registrations",
      "A key is required",
      // The URL of every part of the service.
      "https://api.example.org/v1/files/remote-upload",
      "https://api.example.org/v1/files/remote-multipart/init",
      "https://api.example.org/v1/files/delete",
      "https://api.example.org/v1/files/share-settings",
      "https://api.example.org/v1/files/share/{shortId}/archive",
      "https://api.example.org/v1/files/upload-delegations",
      "https://api.example.org/v1/webhooks",
      "https://api.example.org/v1/folders",
      "openShare=true",
      "| pro | 35 GB | 100 GB concurrent storage included (hard maximum 1 TB) |",
      "| free | 2 GB | 10 GB | at most 2 days |",
      "https://mcp.example.org/mcp with OAuth or a key as bearer token, https://mcp.example.org/mcp/guest without one",
    ]) {
      assert.ok(text.includes(part), part);
    }
    assert.ok(!text.includes("localhost") && !text.includes("undefined"));
  }
});
