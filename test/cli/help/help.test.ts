import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { defineCommand, loadGroups } from "../../../src/cli/command.ts";
import { commandGroups } from "../../../src/cli/commands.ts";
import { EXIT_CODES, errorsWith } from "../../../src/cli/exit-codes.ts";
import { isClientCommand } from "../../../src/cli/help/environment.ts";
import { flagName, settingFlags } from "../../../src/cli/options/option-settings.ts";
import { optionLabel, optionsOf } from "../../../src/cli/options/options.ts";
import { flagOf } from "../../../src/config/load.ts";
import { SETTINGS } from "../../../src/config/settings.ts";
import { ERRORS } from "../../../src/errors.ts";
import { displayWidth } from "../../../src/lib/text/display-width.ts";
import { run } from "../support.ts";

const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);

/** command line, "Command line", "Help" and "Exit codes"; configuration, "Where a setting comes from". */
describe("help", () => {
  it("covers only commands whose arguments, which are options too, have other names than their options", () => {
    const common = { settings: [], examples: [], run: async () => undefined };
    defineCommand({ ...common, args: { FILE: { help: "x" } }, options: { files: { kind: "flag", help: "x" } } });
    // @ts-expect-error: FILE is --file too.
    defineCommand({ ...common, args: { FILE: { help: "x" } }, options: { file: { kind: "flag", help: "x" } } });
  });

  it("is not shown for a word with an h, such as the name of a file that begins with a dash", async () => {
    for (const word of ["-dash.txt", "-xyzh", "-hx"]) assert.equal((await run(["up", word])).code, 2, word);
    for (const word of ["-h", "-qh", "--help"]) assert.equal((await run(["up", word])).code, 0, word);
  });

  it("shows the first commands of a newcomer, and names every command in its group", async () => {
    const { code, stdout, stderr } = await run(["--help"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(stdout.indexOf("filehost serve\n") < stdout.indexOf(`${commandGroups[0]?.title}:\n`));
    const first = stdout.slice(0, stdout.indexOf(`${commandGroups[0]?.title}:\n`));
    for (const name of ["up", "down", "serve"]) {
      const command = commands.find((one) => one.name === name);
      assert.ok(command && first.includes(`${command.summary}:\n  ${command.examples[0]}\n`), name);
    }
    const parts = stdout.replace(/\s+/g, " ");
    for (const { title, commands: members } of commandGroups) {
      assert.ok(stdout.includes(`\n${title}:\n`), title);
      for (const { name } of members) {
        const [family, verb] = name.split(" ");
        const listed = parts.slice(parts.indexOf(`${title}:`));
        assert.match(listed, new RegExp(verb === undefined ? ` ${name} ` : ` ${family} [a-z, -]*\\b${verb}\\b`), name);
      }
    }
  });

  for (const command of commands) {
    it(`gives ${command.name} no argument, option or setting with the name of another`, () => {
      const specs = optionsOf(command);
      const args = Object.keys(command.args ?? {}).map((name) => name.toLowerCase());
      const names = [...Object.keys(specs), ...args, ...settingFlags(command.settings).keys()];
      const letters = Object.values(specs).flatMap(({ short }) => short ?? []);
      for (const all of [names, letters]) assert.deepEqual(all, [...new Set(all)]);
    });

    it(`explains every argument, option and setting of ${command.name}, with an example`, async () => {
      const { code, stdout } = await run([...command.name.split(" "), "--help", "--all"]);
      assert.equal(code, 0);
      for (const [name, spec] of Object.entries(optionsOf(command))) {
        assert.ok(stdout.includes(`\n  ${optionLabel(name, spec)}`), name);
        for (const text of [spec.default, ...(spec.choices ?? [])]) if (text !== undefined) assert.ok(stdout.includes(text), text);
      }
      assert.match(stdout, /^Environment variables:[\s\S]*^ +NO_COLOR$/m);
      assert.equal(/^ +FILEHOST_SERVER$/m.test(stdout), isClientCommand(command));
      for (const name of command.settings) assert.ok(stdout.includes(`\n  ${flagOf(name)} VALUE, or FILEHOST_${name}\n`), name);
      for (const name of Object.keys(command.args ?? {})) assert.match(stdout, new RegExp(`^  ${name} +\\S`, "m"));
      assert.ok(command.examples.length > 0);
      const joined = stdout.replace(/ \\\n +/g, " ");
      for (const example of command.examples)
        assert.ok(joined.includes(`\n  ${example}\n`) && example.includes(`filehost ${command.name}`), example);
      assert.deepEqual(await run(["help", ...command.name.split(" ")]), await run([...command.name.split(" "), "-h"]));
    });

    it(`lists the settings of ${command.name} only with --all`, async () => {
      const { stdout } = await run([...command.name.split(" "), "--help"]);
      assert.doesNotMatch(stdout, /^Settings, as flags/m);
      assert.doesNotMatch(stdout, /^ +NO_COLOR$/m);
      assert.ok(stdout.replace(/\s+/g, " ").includes(`filehost ${command.name} --help --all`));
      const [, words = ""] = /List them: filehost (.*)$/.exec(stdout.replace(/\s+/g, " ").trim()) ?? [];
      assert.equal(words, command.settings.length === 0 ? "" : `${command.name} --help --all`);
    });

    for (const columns of [40, 80, 200])
      it(`fits the help of ${command.name} into ${columns} columns, and always into 80`, async () => {
        const { stdout } = await run([...command.name.split(" "), "--help", "--all"], {}, { columns });
        const code = new Set((command.details ?? "").split("\n").filter((line) => line.startsWith("  ")));
        const long = stdout.split("\n").filter((line) => displayWidth(line) > Math.min(80, columns) && !code.has(line));
        // Labels and code stay whole.
        assert.deepEqual(columns === 40 ? long.filter((line) => !/^ *[-"]|^ {2}[A-Z]|^ {6}--|^ +\S+( \\)?$/.test(line)) : long, []);
      });

    it(`gives no option and setting of ${command.name} the same flag`, () => {
      const args = Object.keys(command.args ?? {}).map((name) => name.toLowerCase());
      const names = [...Object.keys(optionsOf(command)), ...args, ...command.settings.map(flagName)];
      assert.equal(new Set(names).size, names.length);
      const letters = Object.values(optionsOf(command)).flatMap(({ short }) => short ?? []);
      assert.equal(new Set(letters).size, letters.length);
      for (const letter of letters) assert.match(letter, /^[a-z]$/i);
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

describe("the exit codes", () => {
  it("include every exit code of ERRORS, and equal those in the document", async () => {
    const { code, stdout } = await run(["help", "exit-codes"]);
    assert.equal(code, 0);
    for (const [name, { exit }] of Object.entries(ERRORS)) {
      assert.ok(errorsWith(exit).includes(name));
      assert.match(stdout.replace(/\s+/g, " "), new RegExp(`[ (]${name}[,)]`));
    }
    const document = await readFile(`${import.meta.dirname}/../../../docs/interface/command-line.md`, "utf8");
    for (const [exit, meaning] of EXIT_CODES)
      assert.match(document, new RegExp(`^\\| ${exit} \\| ${exit < 9 ? `${meaning} \\|` : ""}`, "m"));
    for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
  });
});

describe("the overview of all commands", () => {
  it("lists each command with --help --all, and with help --all", async () => {
    const { stdout, code } = await run(["--help", "--all"]);
    assert.equal(code, 0);
    for (const command of commands) assert.match(stdout, new RegExp(`^ +${command.name}(?: |$)`, "m"), command.name);
    assert.equal((await run(["help", "--all"])).stdout, stdout);
    assert.match((await run(["--help"])).stdout, /All commands: filehost --help --all/);
  });
});

describe("an invalid command line", () => {
  const cases: readonly (readonly [words: readonly string[], says: RegExp])[] = [
    [["serv"], /no command "serv"\. Did you mean "serve"\?\nSee: filehost --help/],
    [["user", "list"], /Did you mean "users"\?/],
    [["upload", "a.txt"], /no command "upload"\. Did you mean "up"\?\nSee: filehost up --help/],
    [["get", "x"], /Did you mean "down"\?/],
    [["download", "x"], /Did you mean "down"\?/],
    [["delete", "x"], /Did you mean "rm"\?/],
    [["rename", "x", "y"], /Did you mean "mv"\?/],
    [["list"], /Did you mean "ls"\?/],
    [["users", "creat"], /Did you mean "users create"\?/],
    [["delte", "x"], /Did you mean "rm"\?/],
    [["encrypt", "x"], /Did you mean "up --encrypt"\?/],
    [["extend", "x"], /Did you mean "share"\?/],
    [["users", "remove"], /Did you mean "users delete"\?/],
    [["requests", "new"], /Did you mean "requests create"\?/],
    [["requests", "rm"], /Did you mean "requests delete"\?/],
    [["invites", "add"], /Did you mean "invites create"\?/],
    [["keys", "delete"], /Did you mean "keys revoke"\?/],
    [["keys", "rm"], /Did you mean "keys revoke"\?/],
    [["requests", "shwo"], /Did you mean "requests show"\?/],
    [["users", "update"], /^There is no command "users update"\.\n/],
    [["up", "x", "--password"], /Set FILEHOST_SHARE_PASSWORD, or use --password-file/],
    [["down", "x", "--password"], /Did you mean "--code"\?/],
    [["up", "x", "-v"], /has no option -v\.\n/],
    [["up", "-hx"], /has no option -hx\. If it is a name/],
    [["up", "x", "--name", "a/b"], /--name: write the name of a file: at most 255 bytes, without \//],
    [["import", "http://x.example/y", "--file-name", "a/b"], /--file-name: write the name of a file/],
    [["import", "notaurl"], /"notaurl" is not an http or https URL/],
    [["import", "ftp://x/y"], /"ftp:\/\/x\/y" is not an http or https URL/],
    [["--json", "version"], /A command is missing before --json/],
    [["users", "create", "--emial", "a@example.org"], /no option --emial\. Did you mean "--email"\?\nSee: filehost users create --help\n$/],
    [["quux"], /no command "quux"\.\nSee: filehost --help/],
    [["keys", "frobnicate"], /no command "keys frobnicate"\.\n/],
    [["serve", "--colour", "x"], /no option --colour\.\nSee: filehost serve --help\n$/],
    [["users", "list", "-x"], /no option -x/],
    [
      ["users", "create"],
      /requires --email ADDRESS and --name NAME:\n {2}--email ADDRESS {2}Email address.*\n {2}--name NAME {6}The account's name\nSee: /,
    ],
    [["users", "create", "--name", "Ada"], /requires --email ADDRESS: Email address/],
    [["users", "set-tier"], /requires USER and TIER:\n {2}USER {2}The account.*\n {2}TIER {2}The new tier: free, pro\n/],
    [["storage", "copy"], /requires --from STORE and --to STORE:/],
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

  it("takes short options, and prints only results with -q", async () => {
    const missing = await run(["version", "-q"]);
    assert.deepEqual([missing.code, missing.stderr], [0, ""]);
    assert.deepEqual(await run(["health", "-h"]), await run(["health", "--help"]));
    const { stdout: down } = await run(["down", "--help"]);
    assert.match(down, /^ {2}-o, --output PATH {2}[\s\S]*^ {6}--json {2,}Print progress and the result as lines of JSON$/m);
    assert.match((await run(["rm", "--help"])).stdout, /^ {2}-y, --yes /m);
    assert.match((await run(["rm", "-y"])).stderr, /requires/);
    const loud = await run(["blocklist", "list", "-z"]);
    assert.match(loud.stderr, /has no option -z\./);
  });

  it("shows all commands if no command is named", async () => {
    const { stdout } = await run(["--help"]);
    assert.deepEqual(await run([]), { code: 2, stdout: "", stderr: stdout });
  });
});
