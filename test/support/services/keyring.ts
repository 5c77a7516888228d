import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { makeFolder } from "../folder.ts";

const PROGRAMS = ["/usr/bin/dbus-daemon", "/usr/bin/gnome-keyring-daemon"];

/** The reason why tests of the keyring are skipped; undefined if it is installed. */
export const keyringMissing: string | undefined = PROGRAMS.every((path) => existsSync(path))
  ? undefined
  : "no keyring: install Debian's packages dbus-daemon, gnome-keyring and libsecret-1-0";

export interface TestKeyring extends AsyncDisposable {
  /** The environment variables of programs that use the keyring. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the keyring of GNOME, unlocked and empty, on a separate message bus. Programs that start too early get the error of a missing keyring. */
export async function startKeyring(): Promise<TestKeyring> {
  const folder = await makeFolder();
  const runtime = join(folder.path, "run");
  await mkdir(runtime, { mode: 0o700 });
  const bus = spawn("dbus-daemon", ["--session", "--nofork", "--print-address"], { stdio: ["ignore", "pipe", "ignore"] });
  const [address] = (await once(bus.stdout, "data")) as [Buffer];
  const env = { DBUS_SESSION_BUS_ADDRESS: String(address).trim(), XDG_RUNTIME_DIR: runtime, HOME: folder.path };
  const daemon = spawn("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["pipe", "ignore", "ignore"],
  });
  daemon.stdin.end("password");
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: env.DBUS_SESSION_BUS_ADDRESS },
    async [Symbol.asyncDispose]() {
      for (const child of [daemon, bus]) await end(child);
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Starts a message bus that accepts connections and never responds. */
export async function startSilentBus(path: string): Promise<TestKeyring> {
  const server = createServer(() => undefined).listen(path);
  await once(server, "listening");
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}
