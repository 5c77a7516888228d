import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadGroups } from "../../src/cli/command.ts";
import { commandGroups } from "../../src/cli/commands.ts";
import { run } from "./support.ts";

const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);

/** command line, "Help". */
describe("an option that a command does not have", () => {
  it("is refused with exit code 2 in each command, also beside --help and in a word with the letter h", async () => {
    for (const command of commands)
      for (const given of [["-hello.txt"], ["-h!"], ["-!h"], ["-h", "-!"], ["--nonsense", "--help"], ["--help=yes"], ["x", "-h.txt"]]) {
        const { code, stdout, stderr } = await run([...command.name.split(" "), ...given]);
        assert.deepEqual([code, stdout], [2, ""], `${command.name} ${given.join(" ")}: ${stderr}`);
        assert.match(stderr, / has no option |takes no value/, `${command.name} ${given.join(" ")}`);
      }
  });

  it("is refused with the syntax for the name of a file", async () => {
    const { stderr } = await run(["up", "a.txt", "-hello.txt"]);
    assert.match(stderr, /^filehost up has no option -hello\.txt\..* put -- before the names: filehost up -- -hello\.txt\n/);
    assert.match((await run(["up", "a.txt", "-encrypt"])).stderr, /Did you mean "--encrypt"\?/);
    assert.match((await run(["up", "a.txt", "--expires-at", "3d"])).stderr, /Did you mean "--expires"\?/);
  });

  it("is not confused with help, which each command has by its name and its letter", async () => {
    for (const command of commands)
      for (const help of ["-h", "--help", "-qh"]) {
        const { code, stdout } = await run([...command.name.split(" "), help]);
        assert.deepEqual([code, stdout.includes("\nUsage: ")], [0, true], `${command.name} ${help}`);
      }
  });

  it("is help with all settings of the command, each with its name", async () => {
    for (const command of commands) {
      const words = command.name.split(" ");
      const { stdout: short } = await run([...words, "--help"]);
      const { stdout: all } = await run([...words, "--help", "--all"]);
      assert.equal(short.includes("--all also the settings"), command.settings.length > 0, command.name);
      assert.notEqual(short, all, command.name);
      for (const name of command.settings) assert.ok(all.includes(`FILEHOST_${name}\n`), `${command.name}: ${name}`);
    }
  });
});
