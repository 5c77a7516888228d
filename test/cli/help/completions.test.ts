import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadGroups } from "../../../src/cli/command.ts";
import { commandGroups } from "../../../src/cli/commands.ts";
import { EXIT_CODES } from "../../../src/cli/exit-codes.ts";
import { optionsOf } from "../../../src/cli/options/options.ts";
import { openShareRecords } from "../../../src/client/records/share-records.ts";
import { openProfiles } from "../../../src/client/sign-in/profiles.ts";
import { makeFolder } from "../../support/folder.ts";
import { PROGRAM, startTerminal } from "../../support/terminal.ts";
import { run } from "../support.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);
const isMissing = (program: string): false | string => (spawnSync(program, ["--version"]).error ? `${program} is not installed` : false);

/** How a person starts each shell without files of their own, and loads the script. */
const STARTS: Readonly<Record<Shell, readonly [program: readonly string[], setUp: string]>> = {
  bash: [["bash", "--norc", "--noprofile", "-i"], "source ./completions"],
  zsh: [["zsh", "-f", "-i"], "autoload -Uz compinit && compinit -u -D && source ./completions"],
  fish: [["fish", "--no-config"], "source ./completions"],
};

/** Writes a shell's script to a folder, which is the current one of the shell. */
async function makeScript(shell: Shell) {
  const folder = await makeFolder();
  const { code, stdout, stderr } = await run(["completions", shell]);
  assert.deepEqual([code, stderr], [0, ""]);
  await writeFile(join(folder.path, "completions"), stdout);
  return folder;
}

/** Lets the device know a server and a share, and find the program. */
async function makeKnowing(path: string): Promise<Readonly<Record<string, string>>> {
  const env = { PATH: `${path}:${process.env.PATH}`, XDG_CONFIG_HOME: join(path, "config"), XDG_STATE_HOME: join(path, "state") };
  await symlink(PROGRAM, join(path, "filehost"));
  await openProfiles(env).save("work", { server: "https://work.example.org" });
  const times = { createdAt: new Date().toISOString(), expiresAt: null };
  await openShareRecords(env).add({
    ...times,
    server: "https://files.example.org",
    shortId: "7kXq9Zab",
    url: "https://files.example.org/d/7kXq9Zab",
    name: "a.txt",
    sizeBytes: 1,
    fileIds: [],
  });
  return env;
}

/** completions, "Completions". */
describe("completions", () => {
  for (const shell of SHELLS) {
    it(`is a valid script of ${shell}, and names every command and option`, { skip: isMissing(shell) }, async () => {
      await using folder = await makeScript(shell);
      const checked = spawnSync(shell, ["-n", "completions"], { cwd: folder.path, encoding: "utf8" });
      assert.deepEqual([checked.status, checked.stderr], [0, ""]);
      const { stdout } = await run(["completions", shell]);
      for (const command of commands) {
        for (const word of command.name.split(" ")) assert.ok(stdout.includes(word), command.name);
        for (const name of Object.keys(optionsOf(command))) assert.ok(stdout.includes(shell === "fish" ? `-l ${name}` : `--${name}`), name);
      }
    });

    for (const [typed, completed] of [
      ["filehost tak", "filehost takedown "],
      ["filehost users cr", "filehost users create "],
      ["filehost users create --ti", "filehost users create --tier "],
      ["filehost users create --tier p", "filehost users create --tier pro "],
      ["filehost users set-tier ada f", "filehost users set-tier ada free "],
      ["filehost users list --", undefined],
      ["filehost help stor", "filehost help storage "],
      ["filehost mcp --key-file some-k", "filehost mcp --key-file some-key.txt "],
      ["filehost serve --trusted-p", "filehost serve --trusted-proxies "],
      ["filehost serve --storage d", "filehost serve --storage disk "],
      ["filehost serve --anonymous of", "filehost serve --anonymous off "],
      ["filehost serve --smtp-url-file some-k", "filehost serve --smtp-url-file some-key.txt "],
      ["filehost settings set tiers.free.st", "filehost settings set tiers.free.storageBytes "],
      ["filehost settings unset ter", "filehost settings unset terms_url "],
      ["filehost settings set signup inv", "filehost settings set signup invite "],
      ["filehost settings set logo some-k", "filehost settings set logo some-key.txt "],
      ["filehost audit-log --action key.c", "filehost audit-log --action key.created "],
      ["filehost man user", "filehost man users "],
      ["filehost man users cr", "filehost man users create "],
      ["filehost up some-key.txt --expires 3", "filehost up some-key.txt --expires 30d "],
      ["filehost whoami --profile wo", "filehost whoami --profile work "],
      ["filehost profiles use wo", "filehost profiles use work "],
      ["filehost ls --url https", "filehost ls --url https://work.example.org "],
      ["filehost info 7kX", "filehost info 7kXq9Zab "],
      ["filehost down 7kX", "filehost down 7kXq9Zab "],
    ] as const)
      it(`completes "${typed}" in ${shell}`, { skip: isMissing(shell) }, async () => {
        await using folder = await makeScript(shell);
        await writeFile(join(folder.path, "some-key.txt"), "");
        const env = await makeKnowing(folder.path);
        const [program, setUp] = STARTS[shell];
        // The width keeps each line whole.
        await using terminal = startTerminal([], {
          cwd: folder.path,
          program,
          columns: 200,
          env: { ...env, PS1: "ready> ", PROMPT: "ready> " },
        });
        await terminal.waitFor(/[>$#] /);
        terminal.type(`${setUp} && echo is-"loaded"\r`);
        await terminal.waitFor("is-loaded");
        await terminal.waitFor(/[>$#] /);
        terminal.type(typed);
        terminal.press("tab");
        if (completed === undefined) {
          if (shell === "bash") terminal.press("tab");
          await terminal.waitFor("--filter");
          return;
        }
        // The rest is typed by the shell, with colours in between.
        await terminal.waitFor(lastWord(completed));
      });
  }
});

const lastWord = (text: string): string => text.trim().split(" ").at(-1) ?? "";

/** completions, "Manual pages". */
describe("manual pages", () => {
  it("writes one page for the program and one for each command", async () => {
    await using folder = await makeFolder();
    const target = join(folder.path, "share", "man1");
    const { code, stderr } = await run(["man", "--write", target]);
    assert.deepEqual([code, stderr], [0, `${commands.length + 1} pages written. Read one with: man filehost\n`]);
    const names = commands.map(({ name }) => `filehost-${name.replaceAll(" ", "-")}.1`);
    assert.deepEqual((await readdir(target)).sort(), ["filehost.1", ...names].sort());
    assert.match((await run(["man"])).stdout, /^\.TH "FILEHOST" "1"/);
    assert.match((await run(["man", "users", "create"])).stdout, /\\fB\\-\\-email\\fR \\fIADDRESS\\fR/);
    assert.equal((await run(["man", "nothing"])).code, 2);
    assert.equal((await run(["man", "serve", "--write", target])).code, 2);
  });

  it("has no fault that mandoc finds, and renders every option", { skip: isMissing("mandoc") }, async () => {
    await using folder = await makeFolder();
    await mkdir(join(folder.path, "man1"));
    await run(["man", "--write", join(folder.path, "man1")]);
    for (const name of await readdir(join(folder.path, "man1"))) {
      const path = join(folder.path, "man1", name);
      const { stdout } = spawnSync("mandoc", ["-Tlint", path], { encoding: "utf8" });
      assert.deepEqual(
        stdout.split("\n").filter((line) => line !== ""),
        [],
      );
    }
    for (const command of commands) {
      const path = join(folder.path, "man1", `filehost-${command.name.replaceAll(" ", "-")}.1`);
      const { stdout } = spawnSync("mandoc", ["-Tascii", "-O", "width=200", path], { encoding: "utf8" });
      const text = stdout.replaceAll(/.\p{Cc}(?=\S)/gu, "");
      for (const [name, { short }] of Object.entries(optionsOf(command)))
        assert.ok(text.includes(`${short === undefined ? "" : `-${short}, `}--${name}`), name);
      for (const example of command.examples) assert.ok(text.includes(example), example);
      for (const title of ["EXIT STATUS", "ENVIRONMENT", "SEE ALSO"]) assert.ok(text.includes(`\n${title}\n`), title);
      for (const [code, meaning] of EXIT_CODES) assert.match(text, new RegExp(`^ +${code} +${RegExp.escape(meaning)}\\.$`, "m"));
    }
  });
});
