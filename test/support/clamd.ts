import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClamdAddress } from "../../src/scan/clamd/address.ts";
import { eicarFile } from "../../src/scan/eicar.ts";
import { reservePort } from "./free-ports.ts";
import { joinShared } from "./shared-process.ts";

/** The reason why suites that need clamd are skipped; undefined if it is installed. */
export const clamdMissing: string | undefined =
  spawnSync("clamd", ["--version"]).status === 0 ? undefined : "clamd is not installed (Debian: clamav-daemon)";

/** The part in which `startClamd` detects EICAR: anywhere in the bytes, or, like the official signatures, only as a whole file. */
export type KnownEicar = "anywhere" | "own-file";

export interface TestClamd {
  readonly unix: ClamdAddress;
  readonly tcp: ClamdAddress;
}

/** A clamd that only one test file uses. */
export interface OwnClamd extends TestClamd, AsyncDisposable {
  readonly pid: number;
  /** Kills clamd, like a crash. */
  kill(): Promise<void>;
  /** Restarts clamd on the same sockets, with new settings if given. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Reads the text of its log. */
  log(): Promise<string>;
}

const START_DEADLINE_MS = 100_000;

/** Joins the clamd with default settings that all test files of this run share. Tests must not stop, restart or block it. */
export const joinClamd = (): Promise<TestClamd> => joinShared("clamd");

/** Starts a real clamd with one signature in a temporary folder. `settings` are lines of clamd.conf, such as `StreamMaxLength`. */
export async function startClamd(options: { settings?: Readonly<Record<string, string>>; eicar?: KnownEicar } = {}): Promise<OwnClamd> {
  const folder = await mkdtemp(join(tmpdir(), "clamd-"));
  const socket = join(folder, "socket");
  const port = await reservePort();
  for (const name of ["db", "tmp"]) await mkdir(join(folder, name));
  const offset = options.eicar === "own-file" ? "0" : "*";
  await writeFile(join(folder, "db", "test.ndb"), `Eicar-Test:0:${offset}:${Buffer.from(eicarFile()).toString("hex")}\n`);

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
    await waitForResponses(
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

async function waitForResponses(addresses: readonly ClamdAddress[], child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  for (const address of addresses) {
    while (!(await responds(address))) {
      if (child.exitCode !== null) throw new Error(`clamd ended with ${child.exitCode}`);
      if (Date.now() > deadline) throw new Error("clamd did not start in time");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function responds(address: ClamdAddress): Promise<boolean> {
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
