import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const KINDS = ["timer", "immediate", "microtask", "tick", "emitter", "rejection", "null", "signal", "socket"];

/** docs/design/uncaught-errors.md; a compiled program, as the server is. */
test("a compiled program logs every error that nothing handles, and keeps running", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filehost-errors-"));
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  const program = join(folder, "program");
  await run(process.execPath, ["build", "--compile", join(import.meta.dirname, "uncaught-errors.child.ts"), "--outfile", program]);
  const { stdout, stderr } = await run(program);
  assert.equal(stdout, "running\n");
  const lines = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { level: string; msg: string; err: { message: string } });
  for (const kind of KINDS) {
    const logged = lines.filter(({ err }) => err.message.split(" ").at(-1) === kind);
    assert.equal(logged.length, 1, `${kind}: ${stderr}`);
    assert.match(logged[0]?.msg ?? "", /^(?:uncaught exception|unhandled rejection)$/);
  }
});
