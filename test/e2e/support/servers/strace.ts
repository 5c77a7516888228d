import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The reason why tests of system calls are skipped; undefined if strace may attach to processes. */
export const straceMissing: string | undefined = findObstacle();

function findObstacle(): string | undefined {
  const tried = spawnSync("sh", ["-c", "sleep 0.1 & exec strace -o /dev/null -p $!"], { encoding: "utf8" });
  if (tried.status === 0) return undefined;
  return tried.status === 127 ? "strace is not installed (Debian: strace)" : "strace may not attach to processes here";
}

/** The n-th call of a name in any one thread; with a path, only calls on that file or folder count. */
export interface CallPoint {
  readonly call: string;
  readonly when: number;
  readonly path?: string;
}

export interface Attached extends AsyncDisposable {
  /** Whether the process has ended. */
  readonly ended: boolean;
}

/** Attaches to a process and kills it as it enters the call, before the call has an effect. */
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

/** Runs a command and kills it as it enters the call; resolves to whether it reached the call. */
export async function runKilledAt(command: readonly string[], env: NodeJS.ProcessEnv, { call, when }: CallPoint): Promise<boolean> {
  const args = ["-f", "-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${when}`, ...command];
  const [, signal] = await once(spawn("strace", args, { env, stdio: "ignore" }), "close");
  return signal === "SIGKILL";
}

/** A traced call. `start` and `end` order the calls of all threads. */
export interface TracedCall {
  readonly name: string;
  /** The arguments as strace writes them, descriptors with their paths. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Trace extends AsyncDisposable {
  /** Detaches from the process, which continues; resolves to the calls. */
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
  const messages: string[] = [];
  const { promise: attached, resolve, reject } = Promise.withResolvers<void>();
  createInterface({ input: tracer.stderr }).on("line", (line) => {
    messages.push(line);
    if (/Process \d+ attached/.test(line)) resolve();
  });
  tracer.once("close", () => reject(new Error(`strace did not attach: ${messages.join("\n")}`)));
  await attached;
  return tracer;
}

async function detach(tracer: ChildProcess): Promise<void> {
  if (tracer.exitCode !== null || tracer.signalCode !== null) return;
  const closed = once(tracer, "close");
  tracer.kill("SIGTERM");
  await closed;
}

/** Parses lines such as `12 fsync(3</a>) = 0`, or in two halves: `12 fsync(3</a> <unfinished ...>`, `12 <... fsync resumed>) = 0`. */
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
    const unfinished = open.get(thread);
    if (!unfinished || !/^<\.\.\. \w+ resumed>/.test(rest)) return;
    open.delete(thread);
    calls.push({ ...unfinished, end: index });
  });
  return calls;
}
