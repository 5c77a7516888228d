import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseSync, Visitor } from "oxc-parser";
import { loadGroups } from "../../src/cli/command.ts";
import { commandGroups } from "../../src/cli/commands.ts";
import { rewordMessage } from "../../src/cli/reword-errors.ts";
import { AppError } from "../../src/errors.ts";
import { contract, definitionOf, type OperationName } from "../../src/service/contract.ts";
import { parseOperationInput } from "../../src/service/parse-input.ts";
import { makeDataFolder, run } from "./support.ts";

const ROOT = join(import.meta.dirname, "../..");
const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);
const named = (name: string) => commands.find((command) => command.name === name) ?? assert.fail(name);

/** Folders with the messages that the API sends, as texts that are sentences. */
const SOURCES = ["app.ts", "errors.ts", "routes.ts", "{blobs,contract,db,http,jobs,lib,mail,net,pay,scan,service,transfer}/**/*.ts"];

/** The sentences in the source of the API, without what they insert. Errors build their messages of them. */
function readSentences(): readonly string[] {
  const sentences = new Set<string>();
  for (const file of globSync(SOURCES, { cwd: join(ROOT, "src") }).filter((file) => !/contract\.ts$/.test(file))) {
    const source = readFileSync(join(ROOT, "src", file), "utf8");
    const add = (text: string): void => void (/^[A-Z`…].*\s.*[.!?]$/s.test(text) && sentences.add(text));
    new Visitor({
      Literal: ({ value }) => typeof value === "string" && add(value),
      TemplateLiteral: ({ quasis }) => add(quasis.map(({ value }) => value.cooked ?? "").join("…")),
    }).visit(parseSync(file, source).program);
  }
  return [...sentences];
}

/** The messages of each operation about each of its fields that has no valid value. */
function readFieldMessages(): readonly string[] {
  return Object.entries(contract).flatMap(([name, { input }]) =>
    ["", ...Object.keys(input.shape)].flatMap((field) =>
      [null, {}, "\u0000", -1, ["x"], "x".repeat(100_000)].flatMap((value) => {
        try {
          parseOperationInput(definitionOf(name as OperationName), { [field]: value });
          return [];
        } catch (error) {
          assert.ok(error instanceof AppError, `${name} ${field}`);
          return [error.message];
        }
      }),
    ),
  );
}

const API = /Authorization|Bearer|\bheader\b|\bnull:|\b(?:GET|POST|PUT|PATCH|DELETE) \/|`|\b[a-z]+[A-Z]\w*/;
/** The verbs of the API, and its names of values. Files are sent, values of options are not. */
const API_VERBS =
  /\bomit\b|(?<!-)\bttl\b|--url\b|\bsend (?:--|an? |one\b|\d|true\b|either\b|the (?:final|URL|IDs?)\b)|\bforce: true|\w=true\b|\bset \w+ to (?:true|false)\b/i;

/** command line, "Messages". */
describe("the words of commands", () => {
  for (const [what, read, least] of [
    ["sentence of the API", readSentences, 400],
    ["message about a field", readFieldMessages, 200],
  ] as const)
    it(`name no request, header or field in any ${what}`, () => {
      const messages = [...new Set(read())];
      assert.ok(messages.length > least, String(messages.length));
      const problems = commands.flatMap((command) =>
        messages.flatMap((message) => {
          const words = rewordMessage(message, command);
          return API.test(words) || API_VERBS.test(words) || words.trim() === "" ? [`${command.name}: ${message}\n    ${words}`] : [];
        }),
      );
      assert.deepEqual(problems, []);
    });

  it("name the options of commands", () => {
    const cases: readonly (readonly [command: string, message: string, words: string])[] = [
      ["up", "Direct download requires a Pro account. Omit direct.", "Direct download requires a Pro account. Leave out --direct."],
      ["share", "Send either expiresAt or extendTtl, not both.", "Pass either --expires-at or --extend-ttl, not both."],
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
      ["requests change", "Choose less, or omit maxFileBytes.", "Choose less, or leave out --max-file-bytes."],
      [
        "rm",
        "A deletion token is required. Send the upload's `deletionToken` as `token`.",
        "A deletion token is required. Pass it with --token TOKEN.",
      ],
      [
        "up",
        "Keeping a share forever requires a Pro account. Send a ttl instead.",
        "Keeping a share forever requires a Pro account. Choose a time with --expires.",
      ],
      [
        "share",
        "Only a public share can be kept forever. Set visibility to public as well.",
        "Only a public share can be kept forever. Add --visibility public.",
      ],
      ["share", "A claim token cannot change `retention`.", "A claim token cannot change --expires-at."],
      ["rm", "Its owner can delete it with force=true.", "Its owner can delete it with --force."],
      ["share", "This file is immutable. Set immutable to false first.", "This file is immutable. Use --no-immutable first."],
      [
        "rm",
        "This file is immutable. Set immutable to false first.",
        "This file is immutable. Use filehost share ID --no-immutable first.",
      ],
      [
        "up",
        "An API key is required for `notify`. Send one, or omit notify.",
        "An API key is required for --notify. Give one, or leave out --notify.",
      ],
      [
        "share",
        "A claim token cannot change `visibility`. Claim the share first.",
        "A claim token cannot change --visibility. Claim the share first.",
      ],
      [
        "up",
        "The shipment was not found in your account. Open one with openShare, and join it by its shortId.",
        "The shipment was not found in your account. Name one of your open shares with --into, by its short ID or link.",
      ],
      ["up", "The expiry is in the past. Send a time in the future.", "The expiry is in the past. Give a time in the future."],
      [
        "share",
        "This server does not sell files. Omit priceCents, or send 0 to clear a price.",
        "This server does not sell files. Leave out --price, or give 0 to clear a price.",
      ],
      [
        "import",
        "No URL was sent. Send `url`, the file's public http or https URL, such as https://example.org/a.pdf.",
        "No URL was sent. Name the public http or https URL of a file.",
      ],
      [
        "import",
        "This URL is not on the public internet. Send one that anyone can open.",
        "This URL is not on the public internet. Give one that anyone can open.",
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
