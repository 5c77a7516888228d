import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { displayWidth } from "../../../src/lib/text/display-width.ts";
import { makeFolder } from "../../support/folder.ts";
import { renderScreen } from "../../support/screen.ts";
import { PROGRAM, startTerminal } from "../../support/terminal.ts";
import { until } from "../../support/until.ts";

/** The parts that commands use, in a process of their own. */
const PARTS = [process.execPath, join(import.meta.dirname, "../../support/terminal-parts.child.ts")];

/** command line, "Help", "Output" and "Exit codes". */
describe("a terminal", () => {
  it("ends the server on Ctrl-C", async () => {
    await using folder = await makeFolder();
    await using terminal = startTerminal(["serve", "--listen", "127.0.0.1:0", "--scanner=off", "--min-free=1MB"], { cwd: folder.path });
    const [url] = await terminal.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
    assert.equal((await fetch(`${url}/health/live`)).status, 200);
    terminal.press("ctrl-c");
    assert.equal(await terminal.ended(), 0);
  });

  it("asks questions, and shows no secret", async () => {
    await using folder = await makeFolder();
    await using terminal = startTerminal(["ask"], { cwd: folder.path, program: PARTS });
    await terminal.waitFor("Name: ");
    terminal.type("Zoé");
    terminal.press("enter");
    await terminal.waitFor("hello Zoé");
    await terminal.waitFor("Code: ");
    terminal.type("wrong");
    for (const _ of "wrong") terminal.press("backspace");
    terminal.type("7ü漢");
    terminal.press("enter");
    await terminal.waitFor("secret 3");
    await terminal.waitFor("Delete? [y/N] ");
    terminal.press("enter");
    await terminal.waitFor("kept");
    assert.equal(await terminal.ended(), 0);
    assert.doesNotMatch(terminal.output(), /wrong|漢/);
  });

  it("accepts answers that are typed in advance", async () => {
    await using folder = await makeFolder();
    await using terminal = startTerminal(["ask"], { cwd: folder.path, program: PARTS });
    await terminal.waitFor("Name: ");
    terminal.type("Ada\rAB12CD\ry\r");
    await terminal.waitFor("hello Ada");
    await terminal.waitFor("secret 6");
    await terminal.waitFor("deleted");
    assert.equal(await terminal.ended(), 0);
  });

  for (const [question, answers] of [
    ["Name: ", []],
    ["Code: ", ["Ada"]],
    ["Delete? [y/N] ", ["Ada", "AB12CD"]],
  ] as const)
    it(`ends with 130 on Ctrl-C at the question ${question}`, async () => {
      await using folder = await makeFolder();
      await using terminal = startTerminal(["ask"], { cwd: folder.path, program: PARTS });
      for (const [index, answer] of answers.entries()) {
        await terminal.waitFor(["Name: ", "Code: "][index] ?? "");
        terminal.type(`${answer}\r`);
      }
      await terminal.waitFor(question);
      terminal.press("ctrl-c");
      assert.equal(await terminal.ended(), 130);
      assert.doesNotMatch(terminal.output(), /\n\s+at /);
    });

  for (const columns of [20, 40, 80, 200])
    it(`shows a transfer in ${columns} columns, redraws it when the width changes, and explains on Ctrl-C how to resume`, async () => {
      await using folder = await makeFolder();
      await using terminal = startTerminal(["transfer"], { cwd: folder.path, columns, program: PARTS });
      await terminal.waitFor(/30%/);
      const [line = "", ...more] = terminal.screen().split("\n");
      assert.deepEqual(more, []);
      assert.ok(displayWidth(line) < columns);
      assert.equal(line.includes("["), columns >= 40, line);
      const drawn = terminal.output().length;
      terminal.resize(60);
      await until("it is drawn for the new width", () => /video\.mp4 .*30%.* 0 bytes\/s\s*$/.test(terminal.output().slice(drawn)));
      terminal.press("ctrl-c");
      assert.equal(await terminal.ended(), 130);
      assert.match(terminal.screen(), /^(\^C)?Run the same command again to resume\.\n$/);
    });

  for (const columns of [40, 80, 200])
    it(`shows help in ${columns} columns, with bold titles, and without them if colours are off`, async () => {
      await using folder = await makeFolder();
      for (const env of [{}, { NO_COLOR: "1" }, { TERM: "dumb" }] as readonly Record<string, string>[]) {
        await using terminal = startTerminal(["users", "set-tier", "--help"], { cwd: folder.path, columns, env });
        assert.equal(await terminal.ended(), 0);
        assert.equal(terminal.output().includes("\x1b[1mOptions:\x1b[0m"), Object.keys(env).length === 0);
        const plain = renderScreen(terminal.output(), 1000);
        for (const line of plain.split("\n")) assert.ok(displayWidth(line) <= Math.min(80, columns), line);
        assert.match(plain, /^Options:$/m);
      }
    });

  it("shows the address of the server at the end of its start", async () => {
    await using folder = await makeFolder();
    await using terminal = startTerminal(["serve", "--listen", "127.0.0.1:0", "--scanner=off", "--log=silent", "--min-free=1MB"], {
      cwd: folder.path,
    });
    const [, url = ""] = await terminal.waitFor(/filehost is running\. Open (http:\/\/\S+)\r\nCtrl-C stops it\.\r\n/);
    const page = await fetch(url, { headers: { Accept: "text/html" } });
    assert.match(await page.text(), /<form/);
    terminal.press("ctrl-c");
    assert.equal(await terminal.ended(), 0);
  });

  it("draws no bar in a dumb terminal", async () => {
    await using folder = await makeFolder();
    await using terminal = startTerminal(["transfer"], { cwd: folder.path, program: PARTS, env: { TERM: "dumb" } });
    await terminal.waitFor("ready");
    terminal.press("ctrl-c");
    assert.equal(await terminal.ended(), 130);
    assert.ok(!terminal.output().includes("\x1b") && !terminal.output().includes("%"));
  });

  it("ends quietly when nobody reads its output any more", async () => {
    await using folder = await makeFolder();
    const script = `${PROGRAM} completions fish | head -1; echo "codes \${PIPESTATUS[*]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: folder.path, encoding: "utf8" });
    assert.deepEqual([stdout, stderr], ["# fish completion for filehost. Install: filehost completions fish --help\ncodes 141 0\n", ""]);
  });
});
