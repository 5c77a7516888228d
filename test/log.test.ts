import assert from "node:assert/strict";
import { test } from "node:test";
import { prettyFactory } from "pino-pretty";
import { PRETTY_OPTIONS } from "../src/log.ts";

/** configuration, "Forms of values": `FILEHOST_LOG`. */
test("the log writes one line per log entry as text, and the lines of a stack trace", () => {
  const show = prettyFactory({ ...PRETTY_OPTIONS, colorize: false });
  const line = {
    level: 30,
    time: "2026-11-21T05:40:24.435Z",
    requestId: "01a1",
    method: "GET",
    route: "/health",
    status: 200,
    msg: "request",
  };
  const shown = show(JSON.stringify(line));
  assert.equal(shown.trimEnd().split("\n").length, 1);
  for (const part of ["INFO", "request", "GET", "/health", "200"]) assert.ok(shown.includes(part), part);
  const err = { type: "Error", message: "no", stack: "Error: no\n    at one\n    at two" };
  assert.ok(show(JSON.stringify({ ...line, err })).split("\n").length > 2);
});
