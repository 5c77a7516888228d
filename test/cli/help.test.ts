import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandGroups } from "../../src/cli/commands.ts";
import { flagName } from "../../src/cli/settings.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { run } from "./support.ts";

const commands = commandGroups.flatMap((group) => group.commands);

/** command line, "Command line" and "Exit codes"; configuration, "Where a setting comes from". */
describe("help", () => {
  it("lists every command by group, one line each", async () => {
    const { code, stdout, stderr } = await run(["--help"]);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    for (const { title } of commandGroups) assert.ok(stdout.includes(`${title}:\n`), title);
    const flat = stdout.replace(/ +/g, " ");
    for (const { name, args = {}, summary } of commands) {
      const words = [
        name,
        ...Object.entries(args).map(([word, { optional, many }]) => (optional ? `[${word}]` : word) + (many ? "..." : "")),
        summary,
      ];
      assert.ok(flat.includes(`\n ${words.join(" ")}\n`), name);
    }
  });

  for (const command of commands) {
    it(`explains every argument, option and setting of ${command.name}, with an example`, async () => {
      const { code, stdout } = await run([...command.name.split(" "), "--help"]);
      assert.equal(code, 0);
      const names = [...Object.keys(command.options ?? {}), "json", "help", ...command.settings.map(flagName)];
      for (const name of names) assert.match(stdout, new RegExp(`^  --${name}( [A-Z]+)? +\\S`, "m"), `--${name}`);
      for (const name of Object.keys(command.args ?? {})) assert.match(stdout, new RegExp(`^  ${name} +\\S`, "m"));
      for (const { default: defaultText, choices = [] } of Object.values(command.options ?? {})) {
        if (defaultText) assert.ok(stdout.includes(`(default: ${defaultText})`));
        for (const choice of choices) assert.ok(stdout.includes(choice));
      }
      assert.ok(command.examples.length > 0);
      for (const example of command.examples) assert.ok(stdout.includes(example) && example.includes(`filehost ${command.name}`), example);
      const settingsAt = stdout.indexOf("\nSettings, as flags");
      assert.ok(settingsAt === -1 || stdout.search(/\nExamples?:/) < settingsAt, "examples stand ahead of the long list");
      assert.deepEqual(await run(["help", ...command.name.split(" ")]), await run([...command.name.split(" "), "-h"]));
    });

    it(`gives no option and setting of ${command.name} the same flag`, () => {
      const own = [...Object.keys(command.options ?? {}), "json", "help"];
      const flags = command.settings.map(flagName);
      assert.equal(new Set([...own, ...flags]).size, own.length + flags.length);
    });
  }

  it("lists the commands of a group", async () => {
    const asked = await run(["users", "--help"]);
    assert.equal(asked.code, 0);
    assert.match(asked.stdout, /users create[\s\S]*users set-tier USER TIER/);
    const bare = await run(["users"]);
    assert.deepEqual(bare, { code: 2, stdout: "", stderr: asked.stdout });
  });

  it("accepts every setting as a flag of serve", () => {
    const serve = commands.find(({ name }) => name === "serve");
    assert.deepEqual(serve?.settings, Object.keys(SETTINGS));
    assert.equal(flagName("TRUSTED_PROXIES"), "trusted-proxies");
  });
});

describe("an invalid command line", () => {
  const cases: readonly (readonly [words: readonly string[], says: RegExp])[] = [
    [["serv"], /no command "serv"\. Did you mean "serve"\?\nSee: filehost --help/],
    [["user", "list"], /Did you mean "users"\?/],
    [["users", "creat"], /Did you mean "users create"\?/],
    [["--json", "version"], /A command is missing before --json/],
    [["users", "create", "--emial", "a@example.org"], /no option --emial\. Did you mean "--email"\?.*--username.*--data/],
    [["quux"], /no command "quux"\.\nSee: filehost --help/],
    [["keys", "frobnicate"], /no command "keys frobnicate"\.\n/],
    [["serve", "--colour", "x"], /no option --colour\. Its options: --json/],
    [["users", "list", "-x"], /no option -x/],
    [["users", "create"], /requires --email ADDRESS/],
    [["users", "create", "--email"], /--email requires a value/],
    [["users", "create", "--email", "--name", "x"], /--email requires a value.*--email=--name/],
    [["cleanup", "--dry-run=yes"], /--dry-run takes no value/],
    [["users", "set-tier", "a@example.org"], /requires TIER/],
    [["users", "set-tier", "a@example.org", "gold"], /"gold" is not valid for TIER\. Choose one of free, pro/],
    [["keys", "create", "--user", "x", "--scope", "all"], /not valid for --scope\. Choose one of files_read, files_write, full/],
    [["users", "list", "all"], /has no argument for "all"/],
    [["rescan", "4kTqW9xZ", "--all-failed"], /--all-failed/],
    [["takedown"], /requires ID: Short IDs or links of shares/],
    [["takedown", "--block", "--undo", "4kTqW9xZ", "5hQ2vR8kLm3xTz0B"], /--block or --undo/],
  ];
  for (const [words, says] of cases) {
    it(`causes an error that says what to do: ${words.join(" ")}`, async () => {
      const { code, stdout, stderr } = await run(words);
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /\n\s+at /);
    });
  }

  it("causes an error in JSON with --json", async () => {
    const { code, stdout, stderr } = await run(["users", "creat", "--json"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.equal((JSON.parse(stderr) as { errorCode: string }).errorCode, "VALIDATION_FAILED");
  });

  it("shows all commands if it is empty", async () => {
    const { stdout } = await run(["--help"]);
    assert.deepEqual(await run([]), { code: 2, stdout: "", stderr: stdout });
  });
});
