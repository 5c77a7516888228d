import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pino from "pino";
import { createHttp } from "../../src/server.ts";
import { openProcesses } from "../jobs/support.ts";

const REQUESTS = {
  "a page": new Request("http://files.example/"),
  "an operation": new Request("http://files.example/api/health"),
  "a preflight": new Request("http://files.example/api/health", { method: "OPTIONS" }),
};

/** docs/design/uncaught-errors.md: an error after the handlers of errors. */
describe("a request whose response cannot be prepared", () => {
  for (const [what, request] of Object.entries(REQUESTS))
    test(`gets a 500 with the common headers and a line in the log, of ${what}`, async () => {
      await using processes = await openProcesses();
      const [ctx] = processes.ctxs;
      const lines: string[] = [];
      const log = pino({ level: "error" }, { write: (line: string) => void lines.push(line) });
      const peer = {
        address: "192.0.2.1",
        whenSent: async () => true,
        isGone: () => false,
        setIdleTimeout() {
          throw new Error("the connection has closed");
        },
      };
      const response = await createHttp({ ...ctx, log })(request, peer);
      assert.equal(response.status, 500);
      const { errorCode, requestId } = (await response.json()) as { readonly errorCode: string; readonly requestId: string };
      assert.equal(errorCode, "INTERNAL");
      assert.equal(response.headers.get("x-request-id"), requestId);
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      const [line = ""] = lines;
      assert.equal(lines.length, 1, lines.join(""));
      assert.ok(line.includes(requestId) && line.includes("the connection has closed"), line);
    });
});
