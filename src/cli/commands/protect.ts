import { AppError } from "../../errors.ts";
import { contract } from "../../service/contract.ts";
import { CLAIM_TOKEN_OPTION, openShareClient, SHARE_ARGUMENT } from "../client/open-share-client.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { readSharePassword, SHARE_PASSWORD_OPTIONS } from "../options/share-password.ts";
import { readToken } from "../options/token.ts";
import { alignColumns } from "../terminal/text.ts";

const settings = fromContract(contract.updateShareSettings.input.shape, ["handoffMessage"]);

export const protect = defineCommand({
  details:
    "The server makes the code and a private link, which opens the share without the code. Both are shown only once: save them. With --password, you choose a password in place of the code. Works with the key of the owner and, for an anonymous share, with its claim token, which this device remembers.",
  args: { ID: SHARE_ARGUMENT },
  options: {
    rotate: { kind: "flag", help: "Replace the code and the private link; the old ones stop working immediately" },
    remove: { kind: "flag", help: "Remove the protection: everybody with the link can download" },
    ...SHARE_PASSWORD_OPTIONS,
    ...settings.options,
    token: CLAIM_TOKEN_OPTION,
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: [
    "filehost protect 7kXq9Zab",
    "filehost protect 7kXq9Zab --rotate",
    "filehost protect 7kXq9Zab --password",
    "filehost protect 7kXq9Zab --remove",
  ],
  async run({ args: { ID }, options, terminal }) {
    const { remove, rotate } = options;
    if (remove && rotate) throw new UsageError("Pass --rotate or --remove, not both.", "filehost protect --help");
    if (remove && (options.password || options["password-file"] !== undefined))
      throw new UsageError("Pass --password or --remove, not both.", "filehost protect --help");
    const password = await readSharePassword(options, terminal);
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
        "This share is protected already. Pass --rotate for a new code or password: the old one and the private link stop working.",
      );
    const {
      unlockCode,
      handoffUrl: opener,
      ...changed
    } = await changeShareSettings(client, named, { ...message, ...password, protect: !remove }, token);
    const link = withFragment(await shareLinkOf(client.api, changed.shortId), named.remembered);
    const handoffUrl = opener && withFragment(opener, named.remembered);
    if (remove) return { data: { ...changed, link }, text: `${link}\n`, notes: ["Everybody with the link can download now."] };
    const rows = [
      ["link", link],
      ...(changed.unlockKind === "password" ? [] : [["unlock code", unlockCode ?? "-"]]),
      ["private link", handoffUrl ?? "-"],
    ];
    return {
      data: { ...changed, link, unlockCode, handoffUrl },
      text: alignColumns(rows),
      notes: [
        changed.unlockKind === "password"
          ? "Recipients enter your password. The private link is shown only once: save it now."
          : "The code and the private link are shown only once: save them now.",
      ],
    };
  },
});
