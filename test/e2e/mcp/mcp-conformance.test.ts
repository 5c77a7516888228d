import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { type HeaderProxy, listScenarios, runScenarios, startHeaderProxy } from "../support/api/conformance.ts";
import { ERAS } from "../support/api/mcp.ts";

/** Scenarios whose checks must all pass. */
const APPLY = [
  ...["server-initialize", "server-session-lifecycle", "server-stateless", "ping", "completion-complete"],
  ...["tools-list", "tools-call-simple-text", "tools-call-error", "resources-list", "sep-2164-resource-not-found", "prompts-list"],
  ...["server-sse-polling", "server-sse-multiple-streams", "dns-rebinding-protection", "caching", "http-header-validation"],
  ...["input-required-result-unsupported-methods", "input-required-result-ignore-extra-params"],
];

/** Scenarios that call what the example server of the package has, or a part of the protocol that this server does not advertise. */
const DO_NOT_APPLY: Readonly<Record<string, readonly string[]>> = {
  "call tools of the example server": [
    ...["tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-with-progress"],
    ...["json-schema-2020-12", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
    ...["http-custom-header-server-validation", "input-required-result-basic-elicitation", "input-required-result-basic-list-roots"],
    ...["input-required-result-request-state", "input-required-result-multiple-input-requests", "input-required-result-multi-round"],
    ...["input-required-result-missing-input-response", "input-required-result-result-type", "input-required-result-tampered-state"],
    ...[
      "input-required-result-capability-check",
      "input-required-result-validate-input",
      "input-required-result-basic-sampling",
      "tools-call-sampling",
    ],
  ],
  "read resources of the example server": ["resources-read-text", "resources-read-binary", "resources-templates-read"],
  "get prompts of the example server": [
    ...["prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image"],
    "input-required-result-non-tool-request",
  ],
  "need logging, which is not advertised": ["logging-set-level", "tools-call-with-logging"],
  "need subscriptions to resources, which are not advertised": ["resources-subscribe", "resources-unsubscribe"],
};

/** Checks of scenarios that apply. */
const CHECKS_THAT_DO_NOT_APPLY: Readonly<Record<string, string>> = {
  "sep-2575-server-rejects-undeclared-capability": "calls a tool of the example server that needs sampling",
  "sep-2575-missing-capability-http-400": "calls the same tool",
  "server-sse-polling-session": "warns that a client without a session can be given no stream to poll",
  "server-sse-multiple-streams-session": "warns of the same",
};

/** mcp, with the official package's own tests of servers. */
describe("the conformance tool of MCP", () => {
  let server: TestServer;
  const proxies: HeaderProxy[] = [];
  before(async () => {
    const rates = { anonymous: 1e6, free: 1e6, mcpGuests: 1e6 };
    const env = { FILEHOST_SCANNER: "off", FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_LIMITS: JSON.stringify({ rates }) };
    server = await startServer({ env });
  });
  after(async () => {
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  test("has only scenarios that are listed here", async () => {
    const listed = [...APPLY, ...Object.values(DO_NOT_APPLY).flat()];
    assert.deepEqual((await listScenarios()).toSorted(), listed.toSorted());
  });

  for (const version of Object.values(ERAS))
    for (const path of ["/mcp", "/mcp/guest"])
      test(`accepts the server with ${version} at ${path}`, async () => {
        const { key } = await addAccount(server);
        let count = 0;
        // An address has few sessions, and the tool does not end its own.
        const headers = () => ({
          "X-Forwarded-For": `203.0.113.${count++ % 250}`,
          ...(path === "/mcp" && { Authorization: `Bearer ${key}` }),
        });
        const proxy = await startHeaderProxy(server.url, headers);
        proxies.push(proxy);
        const scenarios = await runScenarios(proxy.url + path, version);
        const failed = [...scenarios].flatMap(([name, checks]) =>
          checks
            .filter(({ id, status }) => ["FAILURE", "WARNING"].includes(status) && !(id in CHECKS_THAT_DO_NOT_APPLY))
            .map(({ id, errorMessage }) => ({ name, id, errorMessage })),
        );
        assert.deepEqual(
          failed.filter(({ name }) => APPLY.includes(name)),
          [],
        );
        // What passes applies.
        const inapplicable = Object.values(DO_NOT_APPLY).flat();
        const ran = [...scenarios.keys()];
        assert.deepEqual(
          [...new Set(failed.map(({ name }) => name))].toSorted(),
          ran.filter((name) => inapplicable.includes(name)).toSorted(),
        );
        assert.ok(ran.filter((name) => APPLY.includes(name)).length >= 11, String(ran));
      });
});
