import { execFile } from "node:child_process";
import { once } from "node:events";
import { glob, readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { makeFolder } from "../../../support/folder.ts";

const TOOL = resolve(import.meta.dirname, "../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

async function runTool(args: readonly string[]): Promise<string> {
  // The exit code also counts scenarios that do not apply, so it is ignored.
  const { stdout } = await promisify(execFile)(process.execPath, [TOOL, ...args], { maxBuffer: 2 ** 26 }).catch(
    (failed: { stdout?: string }) => ({ stdout: failed.stdout ?? "" }),
  );
  return stdout;
}

/** Lists the tool's scenarios for servers, without those of extensions. */
export async function listScenarios(): Promise<string[]> {
  const listed = await runTool(["list", "--server"]);
  return [...listed.matchAll(/^ +- ([\w-]+) \[(?!extension\])/gm)].map(([, name = ""]) => name);
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** Runs all scenarios of a version of the protocol. Resolves to the checks of each. */
export async function runScenarios(url: string, version: string): Promise<Map<string, Check[]>> {
  await using folder = await makeFolder();
  await runTool(["server", "--url", url, "--suite", "all", "--spec-version", version, "--output-dir", folder.path]);
  const scenarios = new Map<string, Check[]>();
  for await (const path of glob(join(folder.path, "*/checks.json"))) {
    const name = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(basename(dirname(path)))?.[1] ?? path;
    scenarios.set(name, JSON.parse(await readFile(path, "utf8")) as Check[]);
  }
  return scenarios;
}

export interface HeaderProxy extends AsyncDisposable {
  readonly url: string;
}

/** Starts a proxy that adds headers to requests, which the tool cannot send. */
export async function startHeaderProxy(target: string, headers: () => Readonly<Record<string, string>>): Promise<HeaderProxy> {
  const proxy = createServer((incoming, response) => {
    const { method, url } = incoming;
    const outgoing = request(new URL(url ?? "/", target), { method, headers: { ...incoming.headers, ...headers() } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
