import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { until } from "./until.ts";

const root = resolve(import.meta.dirname, "../..");

/** The runtime of the server: the executable of scripts/build (the default), or a runtime with the source. */
export type ServerRuntime = "binary" | "bun" | "deno";

const main = join(root, "src/main.ts");

/** Returns the command line that starts filehost. */
export function toCommand(runtime: ServerRuntime): readonly string[] {
  if (runtime === "binary") return [join(root, "filehost")];
  if (runtime === "bun") return [join(root, "node_modules/.bin/bun"), main];
  return [denoExecutable(), "run", "--allow-all", "--quiet", `--config=${join(root, "deno.json")}`, main];
}

/** Returns the path of the program that node_modules/.bin/deno starts, because signals must reach it, not that script. */
function denoExecutable(): string {
  return execFileSync(join(root, "node_modules/.bin/deno"), ["eval", "console.log(Deno.execPath())"], { encoding: "utf8" }).trim();
}

export interface ServerOptions {
  /** Overrides the defaults: a free loopback port, a fresh data folder, JSON logs. FILEHOST_* variables of this process are not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly runtime?: ServerRuntime;
  /** An executable in place of ./filehost. */
  readonly executable?: string;
  /** The prefix of the command, such as strace or taskset with their arguments. */
  readonly wrapper?: readonly string[];
}

export type LogLine = { readonly msg?: string } & Readonly<Record<string, unknown>>;

export interface TestServer extends AsyncDisposable {
  /** The URL without a trailing slash. It changes with a restart unless the environment names a port. */
  readonly url: string;
  readonly dataDir: string;
  /** The server's environment, including FILEHOST_DATA. */
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  /** Returns every line of the log so far, across restarts. A line that is not JSON has its text as `msg`. */
  logs(): readonly LogLine[];
  /** Sends the signal (default SIGKILL) and waits for the exit; resolves to the exit code, or null if the signal ended the process. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
  /** Sends SIGTERM; rejects unless the server exits with 0. */
  stop(): Promise<void>;
  /** Stops the server with the signal (default SIGTERM) and starts it again on the same data. */
  restart(options?: { readonly signal?: NodeJS.Signals; readonly env?: Readonly<Record<string, string>> }): Promise<void>;
  /** Runs another command of the same program on the same data. */
  run(args: readonly string[]): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** The longest start. An emulated processor on a busy machine needs most of it. */
const START_DEADLINE_MS = 100_000;

/** Starts `filehost serve` in a temporary folder, which the disposal deletes. Resolves when the server listens. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const command = options.executable === undefined ? toCommand(options.runtime ?? "binary") : [options.executable];
  const program = command[0] ?? "";
  await access(program).catch(() => assert.fail(`${program} is missing: ./scripts/test builds it, or ./scripts/build.`));
  const home = await mkdtemp(join(tmpdir(), "filehost-server-"));
  const logs: LogLine[] = [];
  let env = toEnvironment(home, options.env);
  let running = await launch();

  async function launch(): Promise<Running> {
    const from = logs.length;
    const [file = "", ...args] = [...(options.wrapper ?? []), ...command, "serve", ...(options.args ?? [])];
    const child = spawn(file, args, { cwd: home, env, stdio: ["ignore", "ignore", "pipe"] });
    const ended = once(child, "close").then(([code]) => code as number | null);
    createInterface({ input: child.stderr }).on("line", (line) => logs.push(toLogLine(line)));
    const died = ended.then((code) => {
      throw new Error(`The server ended with ${code}:\n${JSON.stringify(logs.slice(from), null, 2)}`);
    });
    try {
      const listens = until("the server listens", () => findListenUrl(logs.slice(from)), { deadlineMs: START_DEADLINE_MS });
      return { child, ended, url: await Promise.race([listens, died]) };
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  async function kill(signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> {
    if (running.child.exitCode === null && running.child.signalCode === null) running.child.kill(signal);
    return await running.ended;
  }

  async function stop(): Promise<void> {
    assert.equal(await kill("SIGTERM"), 0, `The server did not stop cleanly:\n${JSON.stringify(logs.slice(-5), null, 2)}`);
  }

  return {
    get url() {
      return running.url;
    },
    get pid() {
      assert.ok(running.child.pid);
      return running.child.pid;
    },
    dataDir: join(home, "data"),
    get env() {
      return env;
    },
    logs: () => logs,
    kill,
    stop,
    async restart(again = {}) {
      await kill(again.signal ?? "SIGTERM");
      env = { ...env, ...again.env };
      running = await launch();
    },
    async run(args) {
      const [file = "", ...prefix] = command;
      return await runToEnd(spawn(file, [...prefix, ...args], { cwd: home, env }));
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(home, { recursive: true, force: true });
    },
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly url: string;
}

/** Settings that run all commits of the database driver on one thread, because strace counts calls per thread. */
export const ONE_DATABASE_THREAD = { TOKIO_WORKER_THREADS: "1" } as const;

function toEnvironment(home: string, overrides: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FILEHOST_"));
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    FILEHOST_LISTEN: "127.0.0.1:0",
    FILEHOST_DATA: join(home, "data"),
    FILEHOST_LOG: "info:json",
    // Suites send more requests than the general rate allows.
    FILEHOST_RATE_LIMITS: "off",
    ...ONE_DATABASE_THREAD,
    ...overrides,
  };
}

function toLogLine(line: string): LogLine {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as LogLine;
  } catch {
    // A crash prints lines that are not JSON.
  }
  return { msg: line };
}

function findListenUrl(logs: readonly LogLine[]): string | undefined {
  const url = logs.find(({ msg }) => msg === "listening")?.url;
  return typeof url === "string" ? url.replace(/\/$/, "") : undefined;
}

/** Collects what a process writes until it ends; resolves to its exit code, or null if a signal ended it. */
export async function runToEnd(child: ChildProcess) {
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
}
