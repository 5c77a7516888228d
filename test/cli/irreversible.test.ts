import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandGroups } from "../../src/cli/commands.ts";
import { PROGRAM, startTerminal } from "../support/machine/terminal.ts";
import { execute, makeDataFolder, run, runJson } from "./support.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const ADA = "ada@example.org";
const NO_QUARANTINE = { FILEHOST_QUARANTINE_DAYS: "0" };

/** A command line for each command of administrators that cannot be undone, with the settings that make it so. */
const IRREVERSIBLE: Readonly<Record<string, { readonly words: readonly string[]; readonly env?: Readonly<Record<string, string>> }>> = {
  "users delete": { words: [ADA] },
  "users set-role": { words: [ADA, "user"] },
  "users set-username": { words: [ADA, "--none"] },
  "users sign-out": { words: [ADA] },
  "users reset-two-factor": { words: [ADA] },
  "keys revoke": { words: ["bc_AbCd1234"] },
  "invites revoke": { words: [ID] },
  "jobs drop": { words: [ID] },
  takedown: { words: ["4kTqW9xZ"], env: NO_QUARANTINE },
  "reports takedown": { words: ["4kTqW9xZ"], env: NO_QUARANTINE },
};

/** Say what they would do, and ask only if there is something: storage-copy.test.ts, store-identity.test.ts and server-secret.test.ts. */
const ASK_IF_NECESSARY = ["cleanup", "storage adopt", "secrets adopt"];

/** Change nothing, or what another command undoes. */
const HARMLESS = [
  ...["serve", "doctor", "health", "overview", "config", "settings list", "settings set", "settings unset", "mail test"],
  ...["jobs list", "jobs retry", "users create", "users list", "users show", "users set-tier", "users reset-password"],
  ...["users disable", "users enable", "invites create", "invites list", "keys create", "keys list", "audit-log", "audit"],
  ...["files list", "rescan", "reports list", "reports show", "reports dismiss", "storage copy"],
  ...["blocklist add", "blocklist list", "blocklist remove"],
];

/** command line, "What cannot be undone". */
describe("commands of administrators", () => {
  it("are listed here as asking or as not asking for confirmation", () => {
    const groups = ["Server", "Accounts and keys", "Files and storage"];
    const names = commandGroups.filter(({ title }) => groups.includes(title)).flatMap(({ commands }) => commands.map(({ name }) => name));
    assert.deepEqual([...Object.keys(IRREVERSIBLE), ...ASK_IF_NECESSARY, ...HARMLESS].sort(), names.sort());
  });

  for (const [name, { words, env }] of Object.entries(IRREVERSIBLE))
    it(`ask before ${name}, and change nothing if nobody can be asked`, async () => {
      await using folder = await makeDataFolder();
      await runJson(["users", "create", "--email", ADA, "--name", "Ada", "--username", "ada", "--admin"], folder.env);
      const line = [...name.split(" "), ...words];
      const settings = { ...folder.env, ...env };
      const before = await runJson(["users", "show", ADA], folder.env);
      const unasked = await run(line, settings);
      assert.equal(unasked.code, 2, unasked.stderr);
      assert.match(unasked.stderr, new RegExp(`Pass --yes .*\nSee: filehost ${name} --help\n$`));
      const refused = await run(line, settings, { answers: ["n"] });
      assert.equal(refused.code, 6, refused.stderr);
      assert.match(refused.stderr, /\?.*Nothing was changed\.\n$/s);
      assert.deepEqual(await runJson(["users", "show", ADA], folder.env), before);
      const [agreed, told] = [await run(line, settings, { answers: ["y"] }), await run([...line, "--yes"], settings)];
      for (const { stderr } of [agreed, told]) assert.doesNotMatch(stderr, /Pass --yes|Nothing was changed/);
    });

  it("delete no account if the person at a terminal answers no", async () => {
    await using folder = await makeDataFolder();
    await runJson(["users", "create", "--email", ADA, "--name", "Ada"], folder.env);
    const options = { cwd: folder.path, env: folder.env };
    for (const [answer, code, left] of [
      ["", 6, 1],
      ["no", 6, 1],
      ["yes", 0, 0],
    ] as const) {
      await using terminal = startTerminal(["users", "delete", ADA], options);
      await terminal.waitFor("Delete the account of Ada (ada@example.org) with 0 files, 0 bytes?");
      terminal.type(`${answer}\r`);
      assert.equal(await terminal.ended(), code);
      assert.equal((await runJson<unknown[]>(["users", "list"], folder.env)).length, left);
    }
  });

  it("ask if only standard output is not a terminal", async () => {
    await using folder = await makeDataFolder();
    await runJson(["users", "create", "--email", ADA, "--name", "Ada"], folder.env);
    await using terminal = startTerminal(["-c", `"$0" users delete ${ADA} --json >result`, PROGRAM], {
      cwd: folder.path,
      env: folder.env,
      program: ["sh"],
    });
    await terminal.waitFor("[y/N] ");
    terminal.press("enter");
    assert.equal(await terminal.ended(), 6);
    const piped = await execute(["users", "delete", ADA], { cwd: folder.path, env: folder.env });
    assert.deepEqual([piped.code, piped.stdout], [2, ""]);
  });

  it("do not ask if the action can be undone", async () => {
    await using folder = await makeDataFolder();
    await runJson(["users", "create", "--email", ADA, "--name", "Ada"], folder.env);
    for (const words of [
      ["users", "set-username", ADA, "lovelace"],
      ["users", "disable", ADA],
      ["users", "enable", ADA],
      ["users", "set-role", ADA, "admin"],
    ])
      assert.equal((await run(words, folder.env)).code, 0);
    assert.equal((await run(["takedown", "4kTqW9xZ"], folder.env)).code, 4);
  });
});
