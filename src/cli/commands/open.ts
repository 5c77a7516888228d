import { toSingleLine } from "../../lib/text/file-name.ts";
import { openShareClient, SHARE_ARGUMENT } from "../client/open-share-client.ts";
import { defineCommand } from "../command.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";

export const open = defineCommand({
  details: "Where there is no browser, prints the link. BROWSER names another program than the system's.",
  args: { ID: SHARE_ARGUMENT },
  options: CLIENT_OPTIONS,
  settings: [],
  examples: ["filehost open 7kXq9Zab"],
  async run({ args: { ID }, options, terminal }) {
    const [{ parseShareLink }, { hasBrowser, openInBrowser }] = await Promise.all([
      import("../../client/server/server-address.ts"),
      import("../../client/sign-in/open-browser.ts"),
    ]);
    const { link, isOfServer } = parseShareLink(ID) === undefined ? await findLink() : { link: ID.trim(), isOfServer: true };
    const isOpen = isOfServer && hasBrowser(terminal.env) && (await openInBrowser(new URL(link), terminal.env));
    const foreign = isOfServer ? [] : ["The link leads to another site than that of the server, and is not opened."];
    if (!isOpen) return { data: { link, opened: false }, text: `${link}\n`, notes: foreign };
    return { data: { link, opened: true }, text: "", notes: [`Opened ${toSingleLine(link)}`] };

    async function findLink(): Promise<{ readonly link: string; readonly isOfServer: boolean }> {
      const client = await openShareClient({ command: "open", options, terminal }, [ID]);
      const [{ getShareLink }, { isLinkOf }] = await Promise.all([
        import("../../client/shares/named-share.ts"),
        import("../../client/shares/subject.ts"),
      ]);
      const link = await getShareLink(client, ID);
      return { link, isOfServer: await isLinkOf(client, link) };
    }
  },
});
