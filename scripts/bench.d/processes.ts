import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";

export interface StartOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly core: number | undefined;
  /** The file that receives the output of the process. */
  readonly logPath: string;
}

export interface RunningProcess {
  readonly pid: number;
  readonly hasEnded: () => boolean;
  /** Stops the process with SIGTERM, after five seconds with SIGKILL. Resolves when it has ended. */
  readonly stop: () => Promise<void>;
}

export interface MeasureOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface Measured {
  readonly output: string;
  /** The time from the start of the process to its end. */
  readonly seconds: number;
  /** The largest resident memory of the process, in MB. */
  readonly peakMb: number;
  /** The user and system processor time. */
  readonly cpuSeconds: number;
}

export interface Processes {
  start(options: StartOptions): RunningProcess;
  /** Runs a command and resolves to its output. Rejects with its error output if it fails. */
  run(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs a command and measures it. Rejects with its error output if it fails. */
  measure(command: string, args: readonly string[], options?: MeasureOptions): Promise<Measured>;
  /** Stops all processes, including those that start later. Kills them after two seconds. */
  endAll(): Promise<void>;
}

const PEAK_SAMPLE_MS = 20;

/** USER_HZ, which is the same on every supported Linux. */
const TICKS_PER_SECOND = 100;

/** Creates functions that start processes and stop the remaining ones. */
export function createProcesses(): Processes {
  const live = new Set<ChildProcess>();
  const measured = new Set<{ kill(signal: NodeJS.Signals): void }>();
  let closed = false;
  const track = (child: ChildProcess): Promise<number | null> => {
    live.add(child);
    if (closed) child.kill("SIGKILL");
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        live.delete(child);
        resolve(code);
      });
    });
  };

  return {
    start({ command, args, env, core, logPath }) {
      const log = openSync(logPath, "a");
      const [program = command, ...rest] = core === undefined ? [command, ...args] : ["taskset", "-c", String(core), command, ...args];
      const child = spawn(program, rest, { stdio: ["ignore", log, log], env: { ...process.env, ...env } });
      closeSync(log);
      const ended = track(child).catch(() => null);
      if (child.pid === undefined) throw new Error(`${command} could not be started`);
      return {
        pid: child.pid,
        hasEnded: () => !live.has(child),
        async stop() {
          child.kill("SIGTERM");
          const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
          await ended;
          clearTimeout(timer);
        },
      };
    },
    async run(command, args, env) {
      const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
      const ended = track(child);
      const out: Buffer[] = [];
      const complaint: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => complaint.push(chunk));
      const code = await ended;
      if (code !== 0)
        throw new Error(
          `${command} ended with ${code}: ${Buffer.concat(complaint.length > 0 ? complaint : out)
            .toString()
            .trim()}`,
        );
      return Buffer.concat(out).toString();
    },
    async measure(command, args, { env, cwd } = {}) {
      if (closed) throw new Error("the bench has ended");
      const started = performance.now();
      const child = Bun.spawn([command, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...env },
        ...(cwd === undefined ? {} : { cwd }),
      });
      measured.add(child);
      let peakMb = 0;
      // The peak of the process's resource usage is not used, because it starts with the memory of this process.
      const sampling = setInterval(() => {
        peakRssMb(child.pid).then(
          (value) => {
            peakMb = Math.max(peakMb, value);
          },
          () => {},
        );
      }, PEAK_SAMPLE_MS);
      const [output, complaint, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      clearInterval(sampling);
      measured.delete(child);
      const seconds = (performance.now() - started) / 1000;
      if (code !== 0) throw new Error(`${command} ended with ${code}: ${`${complaint}\n${output}`.trim().slice(0, 2000)}`);
      return { output, seconds, peakMb, cpuSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6 };
    },
    async endAll() {
      closed = true;
      // SIGTERM is sent first, because nginx would leave its worker after SIGKILL.
      const ended = [...live].map((child) => new Promise((resolve) => child.once("close", resolve)));
      for (const child of [...live, ...measured]) child.kill("SIGTERM");
      const timer = setTimeout(() => {
        for (const child of [...live, ...measured]) child.kill("SIGKILL");
      }, 2000);
      await Promise.all(ended);
      clearTimeout(timer);
    },
  };
}

/** Resets the peak of the process's resident memory. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
}

/** Reads the peak resident memory since the last reset, in MB. */
export async function peakRssMb(pid: number): Promise<number> {
  return await statusMb(pid, "VmHWM");
}

/** Reads the resident memory, in MB. */
export async function rssMb(pid: number): Promise<number> {
  return await statusMb(pid, "VmRSS");
}

async function statusMb(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no ${field}`);
  return Number(kilobytes) / 1024;
}

/** Reads the user and system processor time of the process in all threads, in seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The program's name, in parentheses, precedes these fields and may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
