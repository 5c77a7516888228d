import { type ClamdLink, openConnection } from "./clamd-connection.ts";

/** What clamd says of itself and of its signatures. */
export interface ClamdVersion {
  readonly version: string;
  /** The daily database's number. */
  readonly signatures?: string;
  /** When that was built, in milliseconds since 1970. */
  readonly signaturesBuiltAt?: number;
}

const COMMAND = new TextEncoder().encode("zVERSION\0");

/** Asks clamd; gives a reason in words where there is no answer. */
export async function askVersion(link: ClamdLink): Promise<ClamdVersion | { readonly failure: string }> {
  const connection = await openConnection(link);
  if ("failure" in connection) return { failure: `clamd cannot be reached (${connection.failure})` };
  await connection.write(COMMAND);
  // Answered from memory, so that the time for connecting is enough.
  const end = await connection.end(link.connectTimeoutMs);
  connection.close();
  if (end?.kind === "reply") return parseVersion(end.text);
  return { failure: `clamd does not answer (${end?.reason ?? `nothing within ${link.connectTimeoutMs} ms`})` };
}

/** Reads `ClamAV 1.4.3/27700/Fri Jul 18 08:31:02 2025`, or `ClamAV 1.4.3` alone (no official database); the time is the clamd host's own. */
export function parseVersion(text: string): ClamdVersion {
  const [version = "", signatures, builtAt] = text.trim().split("/");
  if (!signatures) return { version };
  const signaturesBuiltAt = Date.parse((builtAt ?? "").replace(/\s+/g, " "));
  return Number.isNaN(signaturesBuiltAt) ? { version, signatures } : { version, signatures, signaturesBuiltAt };
}
