import { countOf } from "../../lib/text/count-of.ts";
import { changeNamed } from "../change-named.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";
import { readToken } from "../options/token.ts";
import { toPlain } from "../terminal/text.ts";

export const claim = defineCommand({
  details: "Shares that this device has sent without an account need no token. For others, pass the token that the upload showed.",
  args: { ID: { suggests: "shares", help: "Share links, short IDs or file IDs", many: true, optional: true } },
  options: {
    ...CLIENT_OPTIONS,
    all: { kind: "flag", help: "All shares that this device has sent to the server without an account" },
    token: {
      kind: "text",
      value: "TOKEN",
      help: "The claim token, for a single share. - reads it from standard input, which other users of this machine cannot see",
    },
  },
  settings: [],
  examples: [
    "filehost claim --all",
    "filehost claim https://files.example.org/d/7kXq9Zab",
    "filehost claim 7kXq9Zab --token - < token.txt",
  ],
  async run({ args, options, terminal }) {
    const help = "filehost claim --help";
    if (options.all === args.ID.length > 0) throw new UsageError("Pass shares, or --all for those that this device has sent.", help);
    if (options.token !== undefined && args.ID.length !== 1) throw new UsageError("--token is for one share. Pass its ID or link.", help);
    const client = await openClient({ command: "claim", options, terminal, links: args.ID });
    if (!client.hasKey) throw new UsageError(`filehost claim requires an account. Run: filehost login ${client.url}`, help);
    const { claimShare, listClaimable } = await import("../../client/shares/claim-shares.ts");
    const token = await readToken(terminal, options.token);
    const names = options.all ? (await listClaimable(client)).map(({ url }) => url) : args.ID;
    const { done, only, refused, problems, exitCode } = await changeNamed(names, (id) => claimShare(client, id, token));
    return {
      data: (options.all ? undefined : only) ?? { claimed: done, refused },
      text: done.map(({ url, name }) => `${url}  ${toPlain(name)}\n`).join(""),
      important: problems,
      notes: [`${countOf(done.length, "share")} claimed.`],
      exitCode,
    };
  },
});
