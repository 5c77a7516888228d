import { type CommandClient, type OpenClient, openClient } from "../options/client-options.ts";

/** The argument of commands about one share. */
export const SHARE_ARGUMENT = { suggests: "shares", help: "A share's short ID or link, or the ID of one of its files" } as const;

/** The option for the token of an anonymous share that this device does not remember. */
export const CLAIM_TOKEN_OPTION = {
  kind: "text",
  value: "TOKEN",
  help: "The claim token of an anonymous share; default: the one that this device remembers. - reads it from standard input",
} as const;

/**
 * Opens the client of a command whose arguments are IDs or links. An ID that this device remembers names its server, unless an option or
 * FILEHOST_SERVER does. Throws like `openClient`.
 */
export async function openShareClient(invocation: Omit<OpenClient, "links">, ids: readonly string[]): Promise<CommandClient> {
  const { options, terminal } = invocation;
  const isNamed = Boolean(options.url ?? options.profile ?? (terminal.env.FILEHOST_SERVER || terminal.env.FILEHOST_PROFILE));
  return await openClient({ ...invocation, links: isNamed ? ids : await Promise.all(ids.map((id) => toLink(invocation, id))) });
}

async function toLink({ terminal }: Omit<OpenClient, "links">, id: string): Promise<string> {
  const [{ openShareRecords }, { parseShareLink }] = await Promise.all([
    import("../../client/records/share-records.ts"),
    import("../../client/server/server-address.ts"),
  ]);
  if (parseShareLink(id)) return id;
  const remembered = await openShareRecords(terminal.env).find(id);
  return remembered === undefined ? id : `${remembered.server}/d/${remembered.shortId}`;
}
