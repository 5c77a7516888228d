import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { runCommandLine } from "../../src/cli/run.ts";
import { makeFolder, type TestFolder } from "../support/folder.ts";

/** The executable that scripts/build.ts makes. */
const program = resolve(import.meta.dirname, "../../filehost");

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, with nothing but `env`. */
export async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const output = { stdout: "", stderr: "" };
  const code = await runCommandLine(words, {
    env,
    async out(text) {
      output.stdout += text;
    },
    async err(text) {
      output.stderr += text;
    },
  });
  return { code, ...output };
}

/** The same for what prints JSON: asserts that it went well (or ended as told) and returns what was printed. */
export async function runJson<T>(words: readonly string[], env: Readonly<Record<string, string>>, code = 0): Promise<T> {
  const outcome = await run([...words, "--json"], env);
  assert.equal(outcome.code, code, outcome.stderr);
  assert.equal(outcome.stderr, "");
  return JSON.parse(outcome.stdout) as T;
}

/** Starts the program as a shell would, in `cwd`; nothing of this process's FILEHOST_* is passed on. */
export function start(words: readonly string[], { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> }) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FILEHOST_"));
  return spawn(program, [...words], {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs the program to its end in a process of its own. */
export async function execute(
  words: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const child = start(words, options);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
}

export interface DataFolder extends TestFolder {
  /** Settings for a database of its own in it, without a scanner. */
  readonly env: Readonly<Record<string, string>>;
}

/** An empty folder for the data of commands, which goes when it is disposed of. */
export async function makeDataFolder(): Promise<DataFolder> {
  const folder = await makeFolder();
  return { ...folder, env: { FILEHOST_DATA: join(folder.path, "data"), FILEHOST_SCANNER: "off" } };
}
