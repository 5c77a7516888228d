import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { runCommandLine } from "../../src/cli/run.ts";
import { makeFolder, type TestFolder } from "../support/folder.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** The executable that scripts/build makes. */
const program = resolve(import.meta.dirname, "../../filehost");

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  /** What standard input has. */
  readonly input?: string;
  /** What the person at the terminal answers, in this order. Without it, nobody can answer. */
  readonly answers?: readonly string[];
  /** The width of the terminal. */
  readonly columns?: number;
}

/** Runs a command line in this process, with only the variables of `env`. */
export async function run(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { input = "", answers, columns }: RunOptions = {},
): Promise<Outcome> {
  const output = { stdout: "", stderr: "" };
  const left = [...(answers ?? [])];
  const answer = async (question: string): Promise<string> => {
    output.stderr += question;
    const next = left.shift();
    assert.ok(next !== undefined, `nobody answers: ${question}`);
    return next;
  };
  const code = await runCommandLine(words, {
    env,
    async out(data) {
      output.stdout += typeof data === "string" ? data : new TextDecoder().decode(data);
    },
    async err(text) {
      output.stderr += text;
    },
    async *input() {
      yield new TextEncoder().encode(input);
    },
    isInteractive: false,
    isOutputTerminal: false,
    isInputTerminal: answers !== undefined,
    canAsk: answers !== undefined,
    hasColours: { out: false, err: false },
    columns: () => columns,
    onResize: () => () => undefined,
    ask: answer,
    askSecret: answer,
    confirm: async (question) => (await answer(question)) === "y",
  });
  return { code, ...output };
}

/** Runs a command line with `--json`, asserts its exit code, and returns the parsed output. */
export async function runJson<T>(words: readonly string[], env: Readonly<Record<string, string>>, code = 0): Promise<T> {
  const outcome = await run([...words, "--json"], env);
  assert.equal(outcome.code, code, outcome.stderr);
  assert.equal(outcome.stderr, "");
  return JSON.parse(outcome.stdout) as T;
}

interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Words of a program that runs the executable. */
  readonly wrapper?: readonly string[];
}

/** Starts the executable in `cwd`, without this process's FILEHOST_* variables. */
export function start(words: readonly string[], { cwd, env = {}, wrapper = [] }: StartOptions) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FILEHOST_"));
  const [command = program, ...rest] = [...wrapper, program, ...words];
  return spawn(command, rest, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs the executable to its end. Ends it with SIGTERM when its standard output matches `until`. */
export async function execute(
  words: readonly string[],
  { until, ...options }: StartOptions & { readonly until?: RegExp },
): Promise<Outcome> {
  const child = start(words, options);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
    if (until?.test(output.stdout)) child.kill();
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
}

export interface DataFolder extends TestFolder {
  /** Settings for a database in the folder, without a scanner. */
  readonly env: Readonly<Record<string, string>>;
}

/** Creates an empty folder for the data of commands; disposing of it deletes it. */
export async function makeDataFolder(): Promise<DataFolder> {
  const folder = await makeFolder();
  return { ...folder, env: { FILEHOST_DATA: join(folder.path, "data"), FILEHOST_SCANNER: "off" } };
}

/** A server, and the settings with which commands of this process use its data. */
export type CommandedServer = TestServer & { readonly commandEnv: Readonly<Record<string, string>> };

/** Starts a server without a scanner, whose data the test's commands use. */
export async function startCommandedServer(): Promise<CommandedServer> {
  const server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "1MB" } });
  return Object.assign(server, { commandEnv: { FILEHOST_DATA: server.dataDir, FILEHOST_SCANNER: "off" } });
}
