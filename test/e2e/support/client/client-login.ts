import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../../../support/until.ts";
import { sendForm } from "../accounts/oauth.ts";
import type { ClientDevice, Ended } from "./client-device.ts";

/** A command that waits for a person. */
export interface WaitingCommand {
  readonly child: ChildProcess;
  stderr(): string;
  ended(): Promise<Ended>;
}

/** Starts a command that will wait. */
export function startWaiting(device: ClientDevice, args: readonly string[], env: Readonly<Record<string, string>> = {}): WaitingCommand {
  const child = device.start(args, { env });
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const closed = once(child, "close");
  return {
    child,
    stderr: () => output.stderr,
    ended: async () => ({ code: (await closed)[0] as number | null, ...output }),
  };
}

/** Makes a program that replaces the person's browser: it stores the address with which it is started. */
export async function makeBrowser(device: ClientDevice): Promise<{ readonly path: string; opened(): Promise<URL> }> {
  const path = join(device.path, "browser");
  await writeFile(path, `#!/bin/sh\nprintf %s "$1" > "${device.path}/part" && mv "${device.path}/part" "${device.path}/opened"\n`, {
    mode: 0o755,
  });
  const opened = () => until("the browser is started", async () => new URL(await readFile(join(device.path, "opened"), "utf8")));
  return { path, opened };
}

interface Person {
  readonly session: string;
  readonly userId: string;
  readonly home: string;
}

/** Signs a device in with a code, which a person allows immediately. */
export async function signInByCode(device: ClientDevice, { session, userId, home }: Person, args: readonly string[] = []): Promise<Ended> {
  const waiting = startWaiting(device, ["login", home, "--device", ...args]);
  const code = await until("the code is shown", () => /^ {2}([0-9A-Z]{4}-[0-9A-Z]{4})$/m.exec(waiting.stderr())?.[1]);
  const response = await sendForm(`${home}/device`, session, { code, decision: "allow", account: userId });
  assert.match(await response.text(), /Device connected/);
  return await waiting.ended();
}

/** Reads the stored secret of a profile from its file. */
export const readSecret = async (device: ClientDevice, profile: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(secretPath(device, profile), "utf8"));

export const secretPath = (device: ClientDevice, profile: string): string =>
  join(device.path, "config", "filehost", "credentials", `${profile}.json`);
