import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { toShellWord } from "../../src/mcp/shell-word.ts";

test("a URL is one word of a shell, whatever the server put into it", async () => {
  for (const rest of ["x';touch pwned;echo '", "$(id)`id`", '"\\"', "a b\nc", "#';id", "?a=1&b='2'"]) {
    const url = `https://files.example.org/de/${rest}`;
    const { stdout } = await promisify(execFile)("sh", ["-c", `printf '%s\\n' ${toShellWord(url)}`]);
    assert.equal(stdout, `${new URL(url).href.replaceAll("'", "%27")}\n`);
  }
});
