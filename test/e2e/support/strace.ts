import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Why tests that watch system calls are skipped; undefined where strace may attach to a process. */
export const straceMissing: string | undefined = findObstacle();

function findObstacle(): string | undefined {
  const tried = spawnSync("sh", ["-c", "sleep 0.1 & exec strace -o /dev/null -p $!"], { encoding: "utf8" });
  if (tried.status === 0) return undefined;
  return tried.status === 127 ? "strace is not installed (Debian: strace)" : "strace may not attach to processes here";
}

/** The n-th call of that name in any one thread; with a path, only calls on that file or folder count. */
export interface CallPoint {
  readonly call: string;
  readonly when: number;
  readonly path?: string;
}

export interface Attached extends AsyncDisposable {
  /** Whether the process has ended since. */
  readonly ended: boolean;
}

/** From now on the process is killed as it enters that call, which then does not happen. */
export async function killAt(pid: number, { call, when, path }: CallPoint): Promise<Attached> {
  const filter = path === undefined ? [] : ["-P", path];
  const tracer = await attach(pid, ["-o", "/dev/null", ...filter, "-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${when}`]);
  return {
    get ended() {
      return tracer.exitCode !== null;
    },
    [Symbol.asyncDispose]: () => detach(tracer),
  };
}

/** Runs a command that is killed as it enters that call; resolves to whether it came so far. */
export async function runKilledAt(command: readonly string[], env: NodeJS.ProcessEnv, { call, when }: CallPoint): Promise<boolean> {
  const args = ["-f", "-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${when}`, ...command];
  const [, signal] = await once(spawn("strace", args, { env, stdio: "ignore" }), "close");
  return signal === "SIGKILL";
}

/** A call as it was made: `start` and `end` order it among all others, of every thread. */
export interface TracedCall {
  readonly name: string;
  /** Arguments as strace writes them, descriptors with their paths. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Trace extends AsyncDisposable {
  /** Ends the trace; the process goes on. */
  stop(): Promise<readonly TracedCall[]>;
}

export async function traceCalls(pid: number, calls: readonly string[]): Promise<Trace> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-strace-"));
  const file = join(folder, "trace");
  const tracer = await attach(pid, ["-y", "-s", "80", "-o", file, "-e", `trace=${calls.join(",")}`]);
  return {
    async stop() {
      await detach(tracer);
      return parseTrace(await readFile(file, "utf8"));
    },
    async [Symbol.asyncDispose]() {
      await detach(tracer);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function attach(pid: number, args: readonly string[]): Promise<ChildProcess> {
  const tracer = spawn("strace", ["-f", ...args, "-p", String(pid)], { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  const { promise: attached, resolve, reject } = Promise.withResolvers<void>();
  createInterface({ input: tracer.stderr }).on("line", (line) => {
    said.push(line);
    if (/Process \d+ attached/.test(line)) resolve();
  });
  tracer.once("close", () => reject(new Error(`strace did not attach: ${said.join("\n")}`)));
  await attached;
  return tracer;
}

async function detach(tracer: ChildProcess): Promise<void> {
  if (tracer.exitCode !== null || tracer.signalCode !== null) return;
  const closed = once(tracer, "close");
  tracer.kill("SIGTERM");
  await closed;
}

/** Lines such as `12 fsync(3</a>) = 0`, or in two halves: `12 fsync(3</a> <unfinished ...>`, `12 <... fsync resumed>) = 0`. */
function parseTrace(text: string): TracedCall[] {
  const calls: TracedCall[] = [];
  const open = new Map<string, Omit<TracedCall, "end">>();
  text.split("\n").forEach((line, index) => {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const whole = /^(\w+)\((.*)/.exec(rest);
    if (whole) {
      const call = { name: whole[1] ?? "", text: whole[2] ?? "", start: index };
      if (rest.endsWith("<unfinished ...>")) open.set(thread, call);
      else calls.push({ ...call, end: index });
      return;
    }
    const begun = open.get(thread);
    if (!begun || !/^<\.\.\. \w+ resumed>/.test(rest)) return;
    open.delete(thread);
    calls.push({ ...begun, end: index });
  });
  return calls;
}
