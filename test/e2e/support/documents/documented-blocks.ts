import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { loadConfig } from "../../../../src/config/load.ts";
import type { CodeBlock } from "../../../support/documents.ts";
import { makeFolder } from "../../../support/folder.ts";
import { type ClientDevice, makeDevice } from "../client/client-device.ts";

/** Names blocks by document, heading and number below the heading: `docs/deploy.md, "systemd", 1`. */
export function nameBlocks(blocks: readonly CodeBlock[]): ReadonlyMap<string, CodeBlock> {
  const counts = new Map<string, number>();
  return new Map(
    blocks.map((block) => {
      const place = `${block.document}, "${block.heading}"`;
      const count = (counts.get(place) ?? 0) + 1;
      counts.set(place, count);
      return [`${place}, ${count}`, block];
    }),
  );
}

/** Makes a device whose PATH contains `filehost`, with the files that the documents name. */
export async function makeReader(files: readonly string[]): Promise<ClientDevice> {
  const device = await makeDevice();
  await mkdir(join(device.path, "bin"));
  await symlink(resolve(import.meta.dirname, "../../../../filehost"), join(device.path, "bin/filehost"));
  await symlink(join(device.path, "bin/filehost"), join(device.path, "filehost"));
  for (const file of files) {
    await mkdir(join(device.path, file, ".."), { recursive: true });
    await writeFile(join(device.path, file), `The text of ${file}.\n`);
  }
  return device;
}

/** Replaces each placeholder of a document in a text. Asserts that the text has all of them. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  let filled = text;
  for (const [placeholder, value] of Object.entries(values)) {
    assert.ok(filled.includes(placeholder), `${placeholder} in:\n${text}`);
    filled = filled.replaceAll(placeholder, value);
  }
  return filled;
}

/** Runs commands like a reader who pastes them into a shell. Asserts that each succeeds, and resolves to the output. */
export async function runDocumentedCommands(
  device: Pick<ClientDevice, "path" | "env">,
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = `${join(device.path, "bin")}:${device.env.PATH ?? ""}`;
  const child = spawn("bash", ["-euo", "pipefail", "-c", text], {
    cwd: device.path,
    env: { ...device.env, PATH: path, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 0, `${text}\n${output.stderr}${output.stdout.slice(-500)}`);
  return output.stdout;
}

const SETTING = /^(FILEHOST_[A-Z0-9_]+)=(?:"([^"]*)"|'([^']*)'|(\S*))(?: +#.*)?$/;

/** Reads the settings of a block that contains nothing else, as systemd and shells do; undefined for another block. */
export function settingsIn(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const settings = lines.map((line) => SETTING.exec(line));
  if (settings.length === 0 || settings.includes(null)) return undefined;
  return Object.fromEntries(settings.map((match) => [match?.[1] ?? "", match?.[2] ?? match?.[3] ?? match?.[4] ?? ""]));
}

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>';

/** Asserts that the server accepts these settings, whose files exist. */
export async function assertSettingsAccepted(settings: Readonly<Record<string, string>>): Promise<void> {
  await using folder = await makeFolder();
  const written: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings)) {
    const isFile = name.endsWith("_FILE") || name === "FILEHOST_LOGO";
    written[name] = isFile ? join(folder.path, name) : value;
    if (isFile) await writeFile(join(folder.path, name), name === "FILEHOST_LOGO" ? LOGO : "a secret of at least thirty-two characters");
  }
  const { warnings } = loadConfig(written);
  assert.deepEqual(warnings, []);
}
