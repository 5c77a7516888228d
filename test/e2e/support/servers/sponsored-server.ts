import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestServer } from "../../../support/server.ts";
import { startPlainServer } from "./plain-server.ts";

export interface SponsoringServer extends TestServer {
  /** The path of the file with the sponsor's HTML. */
  readonly sponsorFile: string;
}

/** Starts a server that shows this sponsor HTML before downloads. */
export async function startSponsoring(html: string, env: Readonly<Record<string, string>>): Promise<SponsoringServer> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-sponsor-"));
  const sponsorFile = join(folder, "sponsor.html");
  await writeFile(sponsorFile, html);
  const server = await startPlainServer({ FILEHOST_SPONSOR_FILE: sponsorFile, ...env });
  const dispose = server[Symbol.asyncDispose].bind(server);
  return Object.assign(server, {
    sponsorFile,
    [Symbol.asyncDispose]: async () => {
      await dispose();
      await rm(folder, { recursive: true, force: true });
    },
  });
}
