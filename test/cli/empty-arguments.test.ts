import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadGroups } from "../../src/cli/command.ts";
import { commandGroups } from "../../src/cli/commands.ts";
import { settingFlags } from "../../src/cli/options/option-settings.ts";
import { optionsOf } from "../../src/cli/options/options.ts";
import { parseLine } from "../../src/cli/parse.ts";
import { run } from "./support.ts";

const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);
const isRemovable = (spec: { readonly empty?: string }): boolean => spec.empty === "removes";

/** command line, "Help". */
describe("an empty argument", () => {
  it("is refused with exit code 2 in each argument of each command, by position and by name", async () => {
    for (const command of commands) {
      const words = command.name.split(" ");
      const names = Object.keys(command.args ?? {});
      for (const [index, name] of names.entries()) {
        const before = names.slice(0, index).map((earlier) => command.args?.[earlier]?.choices?.[0] ?? "x");
        for (const given of [
          [...before, ""],
          [...before, "--", ""],
          ["x", "x", "x", ""],
          [`--${name.toLowerCase()}=`],
          [`--${name.toLowerCase()}`, ""],
        ]) {
          const { code, stdout, stderr } = await run([...words, ...given]);
          assert.deepEqual([code, stdout], [2, ""], `${command.name} ${given.join(" ")}: ${stderr}`);
          assert.match(
            stderr,
            / is empty\. If it comes from a variable, check that the variable is set\./,
            `${command.name} ${given.join(" ")}`,
          );
        }
      }
      // Also where it takes no argument.
      assert.equal((await run([...words, ""])).code, 2, command.name);
    }
  });

  it("is refused with exit code 2 in each option and setting of each command that an empty text does not remove", async () => {
    let count = 0;
    for (const command of commands) {
      const options = Object.entries(optionsOf(command)).filter(([name, spec]) => name !== "help" && !isRemovable(spec));
      const given = [
        ...options.flatMap(([name, spec]) =>
          spec.short === undefined
            ? [[`--${name}`, ""]]
            : [
                [`--${name}`, ""],
                [`-${spec.short}`, ""],
              ],
        ),
        ...[...options.map(([name]) => name), ...settingFlags(command.settings).keys()].map((name) => [`--${name}=`]),
      ];
      for (const words of given) {
        const { code, stdout, stderr } = await run([...command.name.split(" "), ...words]);
        assert.deepEqual([code, stdout], [2, ""], `${command.name} ${words.join(" ")}: ${stderr}`);
        count += 1;
      }
    }
    assert.ok(count > 300, String(count));
  });

  it("removes the value of the options that document it", async () => {
    const removable = commands.flatMap((command) =>
      Object.entries(command.options ?? {})
        .filter(([, spec]) => isRemovable(spec))
        .map(([name]) => [command.name, name]),
    );
    assert.deepEqual(removable, [
      ["share", "max-downloads"],
      ["share", "title"],
      ["share", "message"],
      ["share", "handoff-message"],
      ["share", "alias"],
      ["requests create", "folder"],
      ["requests change", "message"],
      ["requests change", "max-file-bytes"],
      ["requests change", "folder"],
    ]);
    for (const [name = "", option = ""] of removable) {
      const command = commands.find((one) => one.name === name);
      assert.ok(command);
      assert.equal((await parseLine(command, ["x", `--${option}`, ""])).options[option], "");
    }
  });
});
