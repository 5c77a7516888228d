import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClamdAddress } from "../../src/scan/clamd-address.ts";
import { eicar } from "../../src/scan/self-test.ts";
import { freePort } from "./free-ports.ts";

/** Why suites that need a clamd are skipped; undefined where there is one. */
export const clamdMissing: string | undefined =
  spawnSync("clamd", ["--version"]).status === 0 ? undefined : "clamd is not installed (Debian: clamav-daemon)";

/** What `startClamd` knows EICAR by: anywhere in the bytes, or, like the official signatures, only as a file of its own. */
export type KnownEicar = "anywhere" | "own-file";

export interface TestClamd extends AsyncDisposable {
  readonly unix: ClamdAddress;
  readonly tcp: ClamdAddress;
  readonly pid: number;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again at the same sockets, with other settings where given. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** What it has logged. */
  log(): Promise<string>;
}

const START_DEADLINE_MS = 30_000;

/** A real clamd of one signature, in a folder of its own; `settings` are lines of clamd.conf, such as `StreamMaxLength`. */
export async function startClamd(options: { settings?: Readonly<Record<string, string>>; eicar?: KnownEicar } = {}): Promise<TestClamd> {
  const folder = await mkdtemp(join(tmpdir(), "clamd-"));
  const socket = join(folder, "socket");
  const port = await freePort();
  for (const name of ["db", "tmp"]) await mkdir(join(folder, name));
  const offset = options.eicar === "own-file" ? "0" : "*";
  await writeFile(join(folder, "db", "test.ndb"), `Eicar-Test:0:${offset}:${Buffer.from(eicar()).toString("hex")}\n`);

  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  const start = async (settings: Readonly<Record<string, string>>) => {
    const lines = {
      LocalSocket: socket,
      TCPSocket: String(port),
      TCPAddr: "127.0.0.1",
      DatabaseDirectory: join(folder, "db"),
      TemporaryDirectory: join(folder, "tmp"),
      LogFile: join(folder, "log"),
      Foreground: "true",
      ...settings,
    };
    const text = Object.entries(lines).map(([name, value]) => `${name} ${value}\n`);
    await writeFile(join(folder, "clamd.conf"), text.join(""));
    const started = spawn("clamd", ["-c", join(folder, "clamd.conf")], { stdio: "ignore" });
    child = started;
    await answering(
      [
        { kind: "unix", path: socket },
        { kind: "tcp", host: "127.0.0.1", port },
      ],
      started,
    );
  };

  let settings = options.settings ?? {};
  try {
    await start(settings);
  } catch (error) {
    await kill();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    unix: { kind: "unix", path: socket },
    tcp: { kind: "tcp", host: "127.0.0.1", port },
    get pid() {
      return child?.pid ?? 0;
    },
    kill,
    async restart(changed) {
      await kill();
      settings = changed ?? settings;
      await start(settings);
    },
    log: () => readFile(join(folder, "log"), "utf8"),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answering(addresses: readonly ClamdAddress[], child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  for (const address of addresses) {
    while (!(await answers(address))) {
      if (child.exitCode !== null) throw new Error(`clamd ended with ${child.exitCode}`);
      if (Date.now() > deadline) throw new Error("clamd did not start in time");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function answers(address: ClamdAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = address.kind === "unix" ? connect({ path: address.path }) : connect({ host: address.host, port: address.port });
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    socket.once("connect", () => socket.write("zPING\0"));
    socket.once("data", () => {
      resolve(true);
      socket.destroy();
    });
  });
}
