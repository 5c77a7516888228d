import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { findFreePort, waitUntilResponds } from "./ports.ts";

export interface BareServer {
  readonly url: string;
  /** The folder that it serves at `/`, and to which it writes PUTs. */
  readonly folder: string;
}

/** Starts the runtime's bare server on the servers' core with an empty folder. The stack stops it. */
export async function startBareServer(bench: Bench, stack: AsyncDisposableStack): Promise<BareServer> {
  const folder = join(bench.dir, "bare");
  await mkdir(folder, { recursive: true });
  const port = await findFreePort();
  const server = bench.processes.start({
    command: process.execPath,
    args: [join(import.meta.dirname, "bare-server.ts"), folder, String(port)],
    core: bench.cores.server,
    logPath: join(bench.dir, "bare.log"),
  });
  stack.defer(() => server.stop());
  const url = `http://127.0.0.1:${port}`;
  await waitUntilResponds(`${url}/`, server);
  return { url, folder };
}
