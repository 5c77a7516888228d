import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadGroups } from "../../src/cli/command.ts";
import { commandGroups } from "../../src/cli/commands.ts";
import { rewordMessage } from "../../src/cli/reword-errors.ts";
import { makeDataFolder, run } from "./support.ts";

const ROOT = join(import.meta.dirname, "../..");
const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);
const named = (name: string) => commands.find((command) => command.name === name) ?? assert.fail(name);

/** The texts of errors that operations throw, without what they insert. */
function readMessages(): readonly string[] {
  const files = globSync(["src/service/**/*.ts", "src/http/**/*.ts"], { cwd: ROOT });
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const calls = text.matchAll(/(?:AppError|invalidField|notFound)\(([^;]*?)\);/g);
    return [...calls].flatMap(([, args = ""]) =>
      [...args.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
        .map(([, plain, template]) => (plain ?? template ?? "").replaceAll("\\`", "`").replace(/\$\{[^}]*\}/g, "…"))
        .filter((message) => /\s.*[.!?]$/.test(message)),
    );
  });
}

const API = /Authorization|Bearer|\b(?:GET|POST|PUT|PATCH|DELETE) \/|`|\b[a-z]+[A-Z]\w*/;

/** command line, "Messages". */
describe("the words of commands", () => {
  it("name no request, header or field in any message of an operation", () => {
    const messages = readMessages();
    assert.ok(messages.length > 200, String(messages.length));
    for (const command of [named("up"), named("share"), named("rm"), named("keys revoke")])
      for (const message of messages) {
        const words = rewordMessage(message, command);
        assert.doesNotMatch(words, API, `${command.name}: ${message}`);
        assert.notEqual(words.trim(), "", message);
      }
  });

  it("name the options of commands", () => {
    const cases: readonly (readonly [command: string, message: string, words: string])[] = [
      ["up", "Direct download requires a Pro account. Omit direct.", "Direct download requires a Pro account. Omit --direct."],
      ["share", "Send either expiresAt or extendTtl, not both.", "Send either --expires-at or --extend-ttl, not both."],
      [
        "ls",
        "An API key is required. Send one as `Authorization: Bearer <key>`.",
        "An API key is required. Sign in with filehost login, or pass --key-file PATH.",
      ],
      [
        "settings set",
        "No setting is named x. GET /admin/settings lists them.",
        "No setting is named x. filehost settings list lists them.",
      ],
      ["requests change", "Choose less, or omit maxFileBytes.", "Choose less, or omit --max-file-bytes."],
      [
        "rm",
        "A deletion token is required. Send the upload's `deletionToken` as `token`.",
        "A deletion token is required. Pass it with --token TOKEN.",
      ],
      ["rm", "obbDFVJG: myFile.txt was not found.", "obbDFVJG: myFile.txt was not found."],
      ["ls", "The file was not found. List your files to find its ID.", "The file was not found. List your files to find its ID."],
    ];
    for (const [name, message, words] of cases) {
      assert.equal(rewordMessage(message, named(name)), words);
    }
  });

  it("are used in each help", async () => {
    for (const { name } of commands) {
      const { stdout } = await run([...name.split(" "), "--help"]);
      const text = stdout.replace(/\nExamples?:\n[\s\S]*?\n\n/, "\n");
      assert.doesNotMatch(text, /Authorization|Bearer|\b(?:GET|POST|PATCH|DELETE) \/|\bnull\b|\bis true\b/, name);
      // Its help has a configuration in JSON.
      if (name !== "mcp") assert.doesNotMatch(text, /\b[a-z]+[A-Z][a-z]+\w*/, name);
    }
  });

  it("are used in errors on standard error, also as JSON", async () => {
    await using folder = await makeDataFolder();
    await run(["users", "create", "--email", "ada@example.org", "--name", "Ada"], folder.env);
    for (const json of [[], ["--json"]]) {
      const { code, stderr } = await run(["settings", "set", "nosuch", "1", ...json], folder.env);
      assert.notEqual(code, 0);
      assert.match(stderr, /filehost settings list lists them\./);
      assert.doesNotMatch(stderr, /GET/);
    }
  });
});
