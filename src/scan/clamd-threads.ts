import { type ClamdLink, openConnection } from "./clamd-connection.ts";

const COMMAND = new TextEncoder().encode("zSTATS\0");

/** Asks clamd for its `MaxThreads`; undefined where it does not say: it may be down, or have `EnableStatsCommand` off. */
export async function askMaxThreads(link: ClamdLink): Promise<number | undefined> {
  const connection = await openConnection(link);
  if ("failure" in connection) return undefined;
  await connection.write(COMMAND);
  const end = await connection.end(link.connectTimeoutMs);
  connection.close();
  return end?.kind === "reply" ? parseMaxThreads(end.text) : undefined;
}

/** Reads the line `THREADS: live 1  idle 0 max 10 idle-timeout 30`; undefined where there is none. */
export function parseMaxThreads(text: string): number | undefined {
  const max = /^THREADS:.*\bmax (\d{1,6})\b/m.exec(text)?.[1];
  return max === undefined || Number(max) === 0 ? undefined : Number(max);
}
