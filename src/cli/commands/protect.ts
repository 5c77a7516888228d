import { AppError } from "../../errors.ts";
import { contract } from "../../service/contract.ts";
import { CLAIM_TOKEN_OPTION, openShareClient, SHARE_ARGUMENT } from "../client/open-share-client.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { readToken } from "../options/token.ts";
import { alignColumns } from "../terminal/text.ts";

const settings = fromContract(contract.updateShareSettings.input.shape, ["handoffMessage"]);

export const protect = defineCommand({
  details:
    "The server makes the code and a private link, which opens the share without the code. Both are shown only once: save them. Works with the key of the owner and, for an anonymous share, with its claim token, which this device remembers.",
  args: { ID: SHARE_ARGUMENT },
  options: {
    rotate: { kind: "flag", help: "Replace the code and the private link; the old ones stop working immediately" },
    remove: { kind: "flag", help: "Remove the protection: everybody with the link can download" },
    ...settings.options,
    token: CLAIM_TOKEN_OPTION,
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: ["filehost protect 7kXq9Zab", "filehost protect 7kXq9Zab --rotate", "filehost protect 7kXq9Zab --remove"],
  async run({ args: { ID }, options, terminal }) {
    const { remove, rotate } = options;
    if (remove && rotate) throw new UsageError("Pass --rotate or --remove, not both.", "filehost protect --help");
    const message = settings.read("protect", options);
    const client = await openShareClient({ command: "protect", options, terminal }, [ID]);
    const [{ changeShareSettings, findNamedShare, withFragment }, { shareLinkOf }] = await Promise.all([
      import("../../client/shares/named-share.ts"),
      import("../../client/shares/subject.ts"),
    ]);
    const named = await findNamedShare(client, ID);
    const token = await readToken(terminal, options.token);
    if (!remove && !rotate && (await changeShareSettings(client, named, {}, token)).unlockRequired)
      throw new AppError(
        "CONFLICT",
        "This share requires an unlock code already. Pass --rotate for a new one: the old code and private link stop working.",
      );
    const {
      unlockCode,
      handoffUrl: opener,
      ...changed
    } = await changeShareSettings(client, named, { ...message, protect: !remove }, token);
    const link = withFragment(await shareLinkOf(client.api, changed.shortId), named.remembered);
    const handoffUrl = opener && withFragment(opener, named.remembered);
    if (remove) return { data: { ...changed, link }, text: `${link}\n`, notes: ["Everybody with the link can download now."] };
    const rows = [
      ["link", link],
      ["unlock code", unlockCode ?? "-"],
      ["private link", handoffUrl ?? "-"],
    ];
    return {
      data: { ...changed, link, unlockCode, handoffUrl },
      text: alignColumns(rows),
      notes: ["The code and the private link are shown only once: save them now."],
    };
  },
});
