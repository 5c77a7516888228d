import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Command, loadGroups } from "../../../src/cli/command.ts";
import { commandGroups } from "../../../src/cli/commands.ts";
import { codeBlocks } from "../../support/documents.ts";
import { makeFolder } from "../../support/folder.ts";
import { type ExampleRunner, exampleMissing, startExampleRunner } from "../support/documents/example-runner.ts";

const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);
const documented = codeBlocks.filter(({ document, language }) => document === "docs/interface/json-output.md" && language === "ts");

/** Prints bytes, or speaks another protocol. */
const WITHOUT_JSON = ["mcp"];

/** Command lines with other output than the first example of their command, with what they print: an entry of the document. */
const MORE: readonly (readonly [line: string, entry: string])[] = [
  ["filehost up report.pdf photos --protect", "up"],
  ["FILEHOST_KEY= filehost up report.pdf", "up"],
  // A name that is not UTF-8, whose file is not sent.
  ["touch $'photos/\\xff' && filehost up photos || true", "up"],
  ["FILEHOST_KEY= filehost up report.pdf -q > sent.txt && FILEHOST_KEY= filehost ls", "ls"],
  ["filehost up report.pdf -q > sent.txt && filehost ls", "ls"],
  ["filehost up report.pdf -q > sent.txt && filehost ls --shares", "ls --shares"],
  ["filehost ls --purchases", "ls --purchases"],
  ["filehost rm 7kXq9Zab 4kTqW9xZ || true", "rm"],
  ["filehost mv 7kXq9Zab 5hQ2vR8kLm3xTz0B Reports/2026/", "mv"],
  ["filehost import 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e", "import"],
  ["filehost import https://example.org/report.pdf http://127.0.0.1:1/x || true", "import"],
  ["filehost import https://example.org/report.pdf --no-wait", "import"],
  ["filehost info 7kXq9Zab", "info"],
  ["filehost info $(filehost up report.pdf -q)", "info"],
  ["FILEHOST_KEY= filehost whoami", "whoami"],
  ["filehost jobs retry --all", "jobs retry"],
  ["filehost jobs drop --all --kind webhook", "jobs drop"],
  ["filehost rescan 4kTqW9xZ 7kXq9Zab || true", "rescan"],
  ["filehost takedown 4kTqW9xZ 7kXq9Zab || true", "takedown"],
  ["filehost takedown 4kTqW9xZ --undo", "takedown"],
  ["filehost audit --digests", "audit"],
  ["filehost completions --list shares", "completions"],
  ["filehost man", "man"],
];

/** The example of a command whose output can be read. */
function chooseExample({ name, examples }: Command): string {
  const chosen = { watch: "filehost watch 7kXq9Zab", completions: "filehost completions bash", man: "filehost man --write man" };
  const simple = examples.find((example) => /^filehost [^|>$(]*$/.test(example) && !/ --(watch|json)\b/.test(example));
  return chosen[name as keyof typeof chosen] ?? simple ?? assert.fail(`${name} has no simple example`);
}

interface Sample {
  readonly line: string;
  readonly entry: string;
  readonly values: readonly unknown[];
}

/** json output, "Names", "Shared types", "Lines" and "One value". */
describe("the output with --json", () => {
  const samples: Sample[] = [];
  let runner: ExampleRunner;
  before(async () => {
    runner = await startExampleRunner();
  });
  after(() => runner?.[Symbol.asyncDispose]());

  async function sample(command: Command, line: string, entry: string): Promise<void> {
    const text = await runner.run(command, line, {
      edit: (text) => `{ ${text.endsWith(" || true") ? text.replace(" || true", " --json || true") : `${text} --json`}; } | tee out.json`,
      read: (device) => readFile(join(device.path, "out.json"), "utf8"),
    });
    const values = command.jsonLines ? toLines(text ?? "") : [JSON.parse(text ?? "")];
    assert.ok(values.length > 0, line);
    samples.push({ line, entry, values });
  }

  for (const command of commands.filter(({ name }) => !WITHOUT_JSON.includes(name) && name !== "serve"))
    it(`can be read: ${command.name}`, { skip: exampleMissing(command.name) }, () => sample(command, chooseExample(command), command.name));
  for (const [line, entry] of MORE)
    it(`can be read: ${line}`, () => {
      const command = commands.find(({ name }) => name === entry || entry.startsWith(`${name} --`));
      return sample(command ?? assert.fail(entry), line, entry);
    });

  it("has the fields and types of the document, which has every command", { timeout: 120_000 }, async () => {
    await using folder = await makeFolder();
    const entries = samples.flatMap(({ line, entry, values }) =>
      values.map(
        (value) =>
          `// ${line.replaceAll("\n", " ")}\nexport const v${counter()}: Output[${JSON.stringify(entry)}] = ${JSON.stringify(value)};\n`,
      ),
    );
    const names = commands.map(({ name }) => name).filter((name) => !WITHOUT_JSON.includes(name));
    await writeFile(
      join(folder.path, "output.ts"),
      [
        ...documented.map(({ text }) => text),
        "type Output = Lines & Values;",
        `export const names: readonly (keyof Output)[] = ${JSON.stringify(names)};`,
        ...entries,
      ].join("\n"),
    );
    const tsc = resolve(import.meta.dirname, "../../../node_modules/.bin/tsc");
    const args = [
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--ignoreConfig",
      "--target",
      "esnext",
      "--lib",
      "esnext",
      "output.ts",
    ];
    const { status, stdout, stderr } = spawnSync(tsc, args, { cwd: folder.path, encoding: "utf8" });
    const lines = (await readFile(join(folder.path, "output.ts"), "utf8")).split("\n");
    const problems = stdout.replace(/^output\.ts\((\d+),.*$/gm, (text, line: string) => `${lines[Number(line) - 2]}\n${text}`);
    assert.equal(status, 0, `${problems}${stderr}`);
    for (const { values } of samples) assertNames(values);
  });
});

let count = 0;
const counter = (): number => (count += 1);

const toLines = (text: string): unknown[] =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);

/** Asserts that no member has a name that another has replaced. */
function assertNames(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, content] of Object.entries(value)) {
    assert.doesNotMatch(name, /_|^(link|shareUrl|size|bytes|mimeType|isUploading|last)$/);
    assertNames(content);
  }
}
